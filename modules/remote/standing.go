package remote

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Bounds of opening the stream of what the server says unasked.
const (
	maxFailedOpens   = 5 // attempts in a row that failed: then the server has gone
	shortLife        = time.Second
	firstStreamPause = time.Second // after a stream that lived shorter; doubled each time
	lastStreamPause  = time.Minute
)

// standingStream is the body of the stream of what a server of streamable HTTP says
// unasked. The SDK has it at once: some servers send no header before they have something
// to say.
type standingStream struct {
	*interceptor

	req  *http.Request
	body io.ReadCloser // nil until it is open
	from time.Time     // since when
}

func (i *interceptor) listen(req *http.Request) *http.Response {
	resp := made(req, http.StatusOK)
	resp.Header.Set("Content-Type", eventStream)
	resp.ContentLength = -1
	resp.Body = &standingStream{interceptor: i, req: req}
	return resp
}

// Read implements [io.Reader].
func (s *standingStream) Read(p []byte) (int, error) {
	if s.body == nil {
		if err := s.open(); err != nil {
			return 0, err
		}
	}
	n, err := s.body.Read(p)
	if err != nil {
		s.pauseAfter(s.req.Context(), time.Since(s.from) < shortLife)
	}
	return n, err
}

// Close implements [io.Closer].
func (s *standingStream) Close() error {
	if s.body == nil {
		return nil
	}
	return s.body.Close()
}

// open asks the server for the stream. A server that has none (it says 405, or
// something like it) leaves the SDK waiting for as long as the session lives.
func (s *standingStream) open() error {
	ctx := s.req.Context()
	resp, err := s.send(s.req) //nolint:bodyclose // Close does, and bodyOf
	switch {
	case err != nil:
		s.openFailed(ctx, err)
		return err
	case resp.StatusCode == http.StatusOK && isMediaType(resp, eventStream):
		s.failedOpens.Store(0)
		if s.listened.Swap(true) {
			s.changes.Signal() // a change may have been missed meanwhile
		}
		s.body, s.from = s.filtered(resp).Body, time.Now() //nolint:bodyclose // Close does
		return nil
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		err := errorOf(resp)
		s.openFailed(ctx, err)
		return err
	}
	if body := bodyOf(resp); s.listened.Load() && s.missing(resp.StatusCode, body) {
		s.forgotten()
	}
	<-ctx.Done()
	return ctx.Err()
}

// openFailed counts failures; a server that nobody reaches has gone.
func (i *interceptor) openFailed(ctx context.Context, err error) {
	if ctx.Err() == nil && (unreachable(err) || i.failedOpens.Add(1) >= maxFailedOpens) {
		i.lost(broken(err, unreachable(err)))
	}
}

// pauseAfter waits after a stream that ended at once, longer each time.
func (i *interceptor) pauseAfter(ctx context.Context, short bool) {
	if !short {
		i.shortStreams.Store(0)
		return
	}
	sleep(ctx, min(firstStreamPause<<min(i.shortStreams.Add(1)-1, 10), lastStreamPause))
}
