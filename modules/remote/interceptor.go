package remote

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
)

// interceptor is the http.RoundTripper under the SDK's client, which sends initialize
// and notifications/initialized, opens the streams and ends the session. What servers
// say goes past the SDK, but for what it needs to do that.
type interceptor struct {
	*session

	endpoint *url.URL
	headers  http.Header // the server's own

	listened     atomic.Bool  // the server has had a stream of its own
	failedOpens  atomic.Int32 // times in a row that it could not be opened
	shortStreams atomic.Int32 // times in a row that it ended at once
}

// RoundTrip implements [http.RoundTripper].
func (i *interceptor) RoundTrip(req *http.Request) (*http.Response, error) {
	if !sameOrigin(req.URL, i.endpoint) { // it would be told the headers
		err := errors.New("the server wants its messages sent to another server")
		i.note(err)
		return nil, err
	}
	req = i.withHeaders(req)
	switch {
	case req.Method == http.MethodPost:
		return i.post(req)
	case req.Method == http.MethodGet && i.sse:
		return i.openStream(req)
	case req.Method == http.MethodGet:
		return i.listen(req), nil
	case i.endedByItself(): // DELETE, of a session that the server has ended
		return made(req, http.StatusNoContent), nil
	default:
		return i.send(req)
	}
}

// withHeaders returns the request with the server's own headers.
func (i *interceptor) withHeaders(req *http.Request) *http.Request {
	req = req.Clone(req.Context())
	for name, values := range i.headers {
		if name == "Host" {
			req.Host = values[0]
		} else if req.Header.Get(name) == "" {
			req.Header[name] = values
		}
	}
	return req
}

// post carries initialize, the first of all messages, and what follows it, of which
// nothing but a status comes back. Each shows where ours are to be sent.
func (i *interceptor) post(req *http.Request) (*http.Response, error) {
	first := i.address.Swap(addressOf(req)) == nil
	resp, err := i.checked(i.send(req))
	switch {
	case err != nil || resp.StatusCode < 200 || resp.StatusCode >= 300 || i.sse:
		return resp, err
	case isMediaType(resp, eventStream):
		return i.filtered(resp), nil
	case isMediaType(resp, document):
		resp.Body = &introduction{in: i.receiver(nil), src: resp.Body}
		return unmeasured(resp), nil
	case first:
		i.note(errors.New(statusText(resp, nil) + " and no answer"))
	}
	return resp, nil
}

// openStream opens the one stream of the SSE transport.
func (i *interceptor) openStream(req *http.Request) (*http.Response, error) {
	resp, err := i.checked(i.send(req))
	if err != nil || resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return resp, err
	}
	if !isMediaType(resp, eventStream) {
		i.note(errors.New(statusText(resp, nil) + " and no event stream"))
		_ = resp.Body.Close() // nothing of it is wanted
		return made(req, http.StatusNotAcceptable), nil
	}
	return i.filtered(resp), nil
}

// checked takes note of what goes wrong while the session begins.
func (i *interceptor) checked(resp *http.Response, err error) (*http.Response, error) {
	if err != nil {
		i.note(errors.New(broken(err, unreachable(err))))
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		body := bodyOf(resp)
		i.note(errors.New(statusText(resp, body)))
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	return resp, nil
}

// made is a response of our own, without a body.
func made(req *http.Request, status int) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, Request: req,
	}
}

// filtered puts a filter before an event stream.
func (i *interceptor) filtered(resp *http.Response) *http.Response {
	in := i.receiver(nil)
	resp.Body = &filter{in: in, src: resp.Body, events: in.events(resp.Body)}
	return unmeasured(resp)
}

// unmeasured takes the announced size off a response whose body is not the server's.
func unmeasured(resp *http.Response) *http.Response {
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp
}

// filter is the body of an event stream as the SDK reads it: whatever is said goes past
// it, but for the address of the SSE transport, the answer to initialize, and the ids by
// which the SDK resumes the stream. It gives one event a read. Between two reads it holds
// no message.
type filter struct {
	in      *receiver
	src     io.ReadCloser
	events  *events
	pending []byte
}

// Read implements [io.Reader].
func (f *filter) Read(p []byte) (int, error) {
	for len(f.pending) == 0 {
		ev, err := f.events.next()
		if err != nil {
			f.in.data.reset()
			return 0, err
		}
		f.pending = f.pass(ev)
		f.in.data.reset()
	}
	n := copy(p, f.pending)
	f.pending = f.pending[n:]
	return n, nil
}

// Close implements [io.Closer].
func (f *filter) Close() error { return f.src.Close() }

// pass takes what is for us out of ev, and returns what the SDK gets of it.
func (f *filter) pass(ev event) (out []byte) {
	if f.in.session.sse && ev.name == "endpoint" {
		return appendEvent(nil, ev)
	}
	f.in.event(ev)
	if ev.id != "" || ev.retry != "" {
		out = appendEvent(nil, event{id: ev.id, retry: ev.retry})
	}
	if answer := f.in.forSDK; answer != nil {
		f.in.forSDK = nil
		out = appendEvent(out, event{data: answer})
	}
	return out
}

// introduction is the body of an answer to initialize that is one JSON text.
type introduction struct {
	in   *receiver
	src  io.ReadCloser
	read bool
}

// Read implements [io.Reader].
func (d *introduction) Read(p []byte) (int, error) {
	if !d.read {
		_, err := d.in.data.ReadFrom(d.src)
		if err == nil {
			d.in.receive(d.in.data.bytes, d.in.data.excess)
		}
		d.in.data.reset()
		if err != nil {
			return 0, err
		}
		d.read = true
	}
	if len(d.in.forSDK) == 0 {
		return 0, io.EOF
	}
	n := copy(p, d.in.forSDK)
	d.in.forSDK = d.in.forSDK[n:]
	return n, nil
}

// Close implements [io.Closer].
func (d *introduction) Close() error { return d.src.Close() }
