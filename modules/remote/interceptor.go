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
// and notifications/initialized, opens the streams and deletes the session. The messages
// of servers bypass the SDK, but for those that it needs to do that.
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
	if !sameOrigin(req.URL, i.endpoint) { // which must not get the headers
		err := errors.New("the server wants its messages sent to another server")
		i.recordFirstError(err)
		return nil, err
	}
	req = i.withHeaders(req)
	switch {
	case req.Method == http.MethodPost:
		return i.postForSDK(req)
	case req.Method == http.MethodGet && i.sse:
		return i.openSSEStream(req)
	case req.Method == http.MethodGet:
		return i.openServerStream(req), nil
	case i.hasFailed(): // DELETE, of a session that the server has ended
		return newResponse(req, http.StatusNoContent), nil
	default:
		return i.roundTrip(req)
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

// postForSDK sends initialize, the first message of all, and later messages, which are
// answered with a status alone. Each shows the address for ours.
func (i *interceptor) postForSDK(req *http.Request) (*http.Response, error) {
	first := i.address.Swap(addressOf(req)) == nil
	resp, err := i.recordFailure(i.roundTrip(req))
	switch {
	case err != nil || resp.StatusCode < 200 || resp.StatusCode >= 300 || i.sse:
		return resp, err
	case isMediaType(resp, eventStream):
		return i.withFilter(resp), nil
	case isMediaType(resp, document):
		resp.Body = &initializeBody{in: i.newReceiver(nil), src: resp.Body}
		return withoutLength(resp), nil
	case first:
		i.recordFirstError(errors.New(statusText(resp, nil) + " and no answer"))
	}
	return resp, nil
}

// openSSEStream opens the one stream of the SSE transport.
func (i *interceptor) openSSEStream(req *http.Request) (*http.Response, error) {
	resp, err := i.recordFailure(i.roundTrip(req))
	if err != nil || resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return resp, err
	}
	if !isMediaType(resp, eventStream) {
		i.recordFirstError(errors.New(statusText(resp, nil) + " and no event stream"))
		_ = resp.Body.Close() // the body is not used
		return newResponse(req, http.StatusNotAcceptable), nil
	}
	return i.withFilter(resp), nil
}

// recordFailure records an error of HTTP, or a status that is one.
func (i *interceptor) recordFailure(resp *http.Response, err error) (*http.Response, error) {
	if err != nil {
		i.recordFirstError(errors.New(connectionErrorText(err, unreachable(err))))
		return nil, err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		body := readBody(resp)
		i.recordFirstError(errors.New(statusText(resp, body)))
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	return resp, nil
}

// newResponse returns a response of our own, without a body.
func newResponse(req *http.Request, status int) *http.Response {
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, Request: req,
	}
}

// withFilter replaces the body of an event stream by a filteredStream.
func (i *interceptor) withFilter(resp *http.Response) *http.Response {
	in := i.newReceiver(nil)
	resp.Body = &filteredStream{in: in, src: resp.Body, events: in.newEventReader(resp.Body)}
	return withoutLength(resp)
}

// withoutLength removes the Content-Length of a response whose body was replaced.
func withoutLength(resp *http.Response) *http.Response {
	resp.ContentLength = -1
	resp.Header.Del("Content-Length")
	return resp
}

// filteredStream is the body of an event stream as the SDK reads it: without messages, but
// with the address of the SSE transport, the response to initialize, and the ids by which
// the SDK resumes the stream. A Read returns one event at most. Between two Reads it holds
// no message.
type filteredStream struct {
	in      *receiver
	src     io.ReadCloser
	events  *eventReader
	pending []byte
}

// Read implements [io.Reader].
func (f *filteredStream) Read(p []byte) (int, error) {
	for len(f.pending) == 0 {
		ev, err := f.events.nextEvent()
		if err != nil {
			f.in.data.resetBuffer()
			return 0, err
		}
		f.pending = f.filterEvent(ev)
		f.in.data.resetBuffer()
	}
	n := copy(p, f.pending)
	f.pending = f.pending[n:]
	return n, nil
}

// Close implements [io.Closer].
func (f *filteredStream) Close() error { return f.src.Close() }

// filterEvent receives the message of ev, and returns the events for the SDK.
func (f *filteredStream) filterEvent(ev event) (out []byte) {
	if f.in.session.sse && ev.name == "endpoint" {
		return appendEvent(nil, ev)
	}
	f.in.receiveEvent(ev)
	if ev.id != "" || ev.retry != "" {
		out = appendEvent(nil, event{id: ev.id, retry: ev.retry})
	}
	if answer := f.in.forSDK; answer != nil {
		f.in.forSDK = nil
		out = appendEvent(out, event{data: answer})
	}
	return out
}

// initializeBody is the body of a response to initialize that is one JSON text.
type initializeBody struct {
	in   *receiver
	src  io.ReadCloser
	read bool
}

// Read implements [io.Reader].
func (d *initializeBody) Read(p []byte) (int, error) {
	if !d.read {
		_, err := d.in.data.ReadFrom(d.src)
		if err == nil {
			d.in.receiveMessage(d.in.data.bytes, d.in.data.overflow)
		}
		d.in.data.resetBuffer()
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
func (d *initializeBody) Close() error { return d.src.Close() }
