package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// sessionHeader names the session to a server (MCP, basic/transports).
const sessionHeader = "Mcp-Session-Id"

// tap is the http.RoundTripper under the SDK's client. What the SDK sends of ours is
// a token, in whose place tap puts the real request; what comes is for us, but for
// the answers that the SDK waits for, of which it gets a token.
type tap struct {
	*session

	endpoint *url.URL
	headers  http.Header

	mu     sync.Mutex
	poster *http.Request // what a POST to the server looks like; nil before the first

	listened atomic.Bool  // the server has had a stream of its own
	silence  atomic.Int32 // times in a row that it could not be opened
	restless atomic.Int32 // times in a row that it ended at once
}

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameOrigin(req.URL, t.endpoint) { // it would be told the headers
		err := errors.New("the server wants its messages sent to another server")
		t.note(err)
		return nil, err
	}
	switch req.Method {
	case http.MethodPost:
		return t.post(req)
	case http.MethodGet:
		return t.get(req)
	default: // DELETE: the end of the session
		if t.fell() {
			return made(req, http.StatusNoContent, "", nil), nil
		}
		return t.send(req)
	}
}

// send sends a request. It follows redirects that stay with the server and repeat the
// request as it is: a redirect executes nothing, so no call is made twice.
func (t *tap) send(req *http.Request) (*http.Response, error) {
	for range maxRedirects {
		resp, err := t.once(req)
		if err != nil {
			return nil, err
		}
		next := redirected(req, resp)
		if next == nil {
			return resp, nil
		}
		_ = resp.Body.Close() // nothing of it is wanted
		req = next
	}
	return t.once(req)
}

// once sends a request with the server's headers.
func (t *tap) once(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	for name, values := range t.headers {
		if name == "Host" {
			req.Host = values[0]
		} else if req.Header.Get(name) == "" {
			req.Header[name] = values
		}
	}
	return t.base.RoundTrip(req)
}

func (t *tap) post(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	_ = req.Body.Close() // it is in memory
	if err != nil {
		return nil, err
	}
	var m wire.Message
	if err := new(wire.Scanner).Scan(body, &m); err != nil {
		return nil, err
	}
	c := callOf(req.Context())
	switch {
	case c != nil && m.MethodIs(custom):
		return t.call(with(req, c.line), c, m.ID.Of(body))
	case c != nil: // the SDK's notifications/cancelled: Cancel has told the server in better words
		return made(req, http.StatusAccepted, "", nil), nil
	case m.MethodIs("initialize"):
		t.remember(req)
		return t.introduce(with(req, body))
	case m.MethodIs("notifications/initialized"):
		t.remember(req)
		return t.checked(t.send(with(req, body)))
	default:
		return t.send(with(req, body))
	}
}

// with returns the request with that body.
func with(req *http.Request, body []byte) *http.Request {
	out := req.Clone(req.Context())
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	out.ContentLength = int64(len(body))
	return out
}

// introduce carries initialize, and hides from the SDK what it might not understand
// of the answer.
func (t *tap) introduce(req *http.Request) (*http.Response, error) {
	resp, err := t.checked(t.send(req))
	if err != nil || resp.StatusCode >= 300 || t.sse {
		return resp, err
	}
	if !carriesMessages(resp) {
		t.note(errors.New(statusText(resp, nil) + " and no answer"))
	}
	return t.filtered(resp, nil), nil
}

// checked takes note of what goes wrong while the session begins.
func (t *tap) checked(resp *http.Response, err error) (*http.Response, error) {
	if err != nil {
		t.note(errors.New(broken(err, unreachable(err))))
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		body := bodyOf(resp)
		t.note(errors.New(statusText(resp, body)))
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	return resp, nil
}

// call carries a call. Whatever becomes of it, the SDK sees a success: what is an
// error for one call must not end its session.
func (t *tap) call(req *http.Request, c *call, sdkID []byte) (*http.Response, error) {
	if !c.written(sdkID) {
		return nil, context.Canceled
	}
	req, connected := traced(req)
	resp, err := t.send(req)
	switch {
	case err != nil && req.Context().Err() != nil:
		return nil, err
	case err != nil:
		unsent := unreachable(err) || !connected.Load()
		t.calls.fail(c, t.shown(broken(err, unsent)), unsent)
		if unreachable(err) {
			t.lost("%s", broken(err, true))
		}
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		t.refuse(resp, c)
	case t.sse:
		c.release()
		return resp, nil
	case !carriesMessages(resp):
		body := bodyOf(resp)
		t.calls.fail(c, t.shown(statusText(resp, body)+" and no answer"), false)
	default:
		return t.filtered(resp, c), nil
	}
	return t.settled(req, c), nil
}

// refuse ends a call that was answered with the status of an error.
func (t *tap) refuse(resp *http.Response, c *call) {
	body := bodyOf(resp)
	if t.missing(resp.StatusCode, body) {
		t.calls.fail(c, forgot, true)
		t.forgotten()
		return
	}
	if m, ok := errorIn(body, c); ok {
		if _, open := t.calls.take(c.id); open {
			c.replier.Reply(m)
		}
		return
	}
	t.calls.fail(c, t.shown(statusText(resp, body)), refused(resp.StatusCode))
}

// settled is what the SDK gets for a call that is over.
func (t *tap) settled(req *http.Request, c *call) *http.Response {
	c.release()
	if t.sse {
		c.cancel() // its answer would come in the stream
		return made(req, http.StatusAccepted, "", nil)
	}
	if req.Method == http.MethodGet {
		return made(req, http.StatusOK, "text/event-stream", appendEvent(nil, event{data: c.stub()}))
	}
	return made(req, http.StatusOK, "application/json", c.stub())
}

// made is a response of our own.
func made(req *http.Request, status int, kind string, body []byte) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: req,
	}
}

func mediaType(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		kind, _, _ = strings.Cut(resp.Header.Get("Content-Type"), ";")
	}
	return strings.ToLower(strings.TrimSpace(kind))
}

func carriesMessages(resp *http.Response) bool {
	kind := mediaType(resp)
	return kind == "application/json" || kind == "text/event-stream"
}

// filtered puts a filter before the body of a response, to c if it is known.
func (t *tap) filtered(resp *http.Response, c *call) *http.Response {
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	if c != nil {
		resp.Header.Del(sessionHeader) // a second one would end the SDK's session
	}
	in := incoming{session: t.session, of: c}
	switch mediaType(resp) {
	case "text/event-stream":
		resp.Body = &stream{in: in, src: resp.Body, events: newEvents(resp.Body, t.options.MaxMessage)}
	case "application/json":
		resp.Body = &document{in: in, src: resp.Body}
	}
	return resp
}
