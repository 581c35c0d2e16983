package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Bounds of opening the stream of what the server says unasked.
const (
	maxSilence = 5 // attempts in a row that failed: then the server has gone
	maxResumes = 5 // likewise, of the stream of one answer that says nothing new
	shortLife  = time.Second
	firstRest  = time.Second // after a stream that lived shorter; doubled each time
	lastRest   = time.Minute
)

func (t *tap) get(req *http.Request) (*http.Response, error) {
	c := callOf(req.Context())
	switch {
	case t.sse:
		return t.openStream(req)
	case c != nil:
		return t.resume(req, c)
	default:
		resp := made(req, http.StatusOK, "text/event-stream", nil)
		resp.ContentLength = -1
		resp.Body = &listener{tap: t, req: req}
		return resp, nil
	}
}

// openStream opens the one stream of the SSE transport.
func (t *tap) openStream(req *http.Request) (*http.Response, error) {
	resp, err := t.checked(t.send(req))
	if err != nil || resp.StatusCode >= 300 {
		return resp, err
	}
	if mediaType(resp) != "text/event-stream" {
		t.note(errors.New(statusText(resp, nil) + " and no event stream"))
		_ = resp.Body.Close() // nothing of it is wanted
		return made(req, http.StatusNotAcceptable, "", nil), nil
	}
	return t.filtered(resp, nil), nil
}

// resume goes on with the stream of an answer that broke. Nothing is sent again: the
// server is asked for what it has said since (MCP, basic/transports, resumability).
func (t *tap) resume(req *http.Request, c *call) (*http.Response, error) {
	if !t.calls.isOpen(c) {
		return t.settled(req, c), nil
	}
	if c.resuming(false) > maxResumes {
		t.calls.fail(c, "the server ended the answer again and again before it was complete", false)
		return t.settled(req, c), nil
	}
	resp, err := t.send(req)
	if err != nil {
		if unreachable(err) && req.Context().Err() == nil {
			t.lost("%s", broken(err, true))
		}
		return nil, err // the SDK tries again, later and later
	}
	if resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream" {
		return t.filtered(resp, c), nil
	}
	body := bodyOf(resp)
	t.calls.fail(c, t.shown("the answer broke off, and could not be resumed: "+statusText(resp, body)), false)
	if t.missing(resp.StatusCode, body) {
		t.forgotten()
	}
	return t.settled(req, c), nil
}

// listener is the body of the stream of what the server says unasked. The SDK has it
// at once: some servers send no header before they have something to say.
type listener struct {
	tap  *tap
	req  *http.Request
	body io.ReadCloser // nil until it is open
	from time.Time     // since when
}

// Read implements [io.Reader].
func (l *listener) Read(p []byte) (int, error) {
	if l.body == nil {
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	n, err := l.body.Read(p)
	if err != nil {
		l.tap.rest(l.req.Context(), time.Since(l.from) < shortLife)
	}
	return n, err
}

// Close implements [io.Closer].
func (l *listener) Close() error {
	if l.body == nil {
		return nil
	}
	return l.body.Close()
}

// open asks the server for the stream. A server that has none (it says 405, or
// something like it) leaves the SDK waiting for as long as the session lives.
func (l *listener) open() error {
	t, ctx := l.tap, l.req.Context()
	resp, err := t.send(l.req)
	switch {
	case err != nil:
		t.silent(ctx, err)
		return err
	case resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream":
		t.silence.Store(0)
		if t.listened.Swap(true) {
			t.touch() // a change may have been missed meanwhile
		}
		l.body, l.from = t.filtered(resp, nil).Body, time.Now() //nolint:bodyclose // Close does
		return nil
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		err := errorOf(resp)
		t.silent(ctx, err)
		return err
	}
	if body := bodyOf(resp); t.listened.Load() && t.missing(resp.StatusCode, body) {
		t.forgotten()
	}
	<-ctx.Done()
	return ctx.Err()
}

// silent counts failures; a server that nobody reaches has gone.
func (t *tap) silent(ctx context.Context, err error) {
	if ctx.Err() == nil && (unreachable(err) || t.silence.Add(1) >= maxSilence) {
		t.lost("%s", broken(err, unreachable(err)))
	}
}

// rest waits after a stream that ended at once, longer each time.
func (t *tap) rest(ctx context.Context, short bool) {
	if !short {
		t.restless.Store(0)
		return
	}
	wait := min(firstRest<<min(t.restless.Add(1)-1, 10), lastRest)
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
}
