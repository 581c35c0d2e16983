package remote

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// The headers by which the SDK tells a server of the session, and by which we resume an
// event stream (MCP, basic/transports).
const (
	sessionHeader   = "Mcp-Session-Id"
	lastEventHeader = "Last-Event-Id"
)

// address is where the messages of a session are sent, and with which headers: the
// SDK knows both, and a request of its own shows them. It is not changed.
type address struct {
	post *http.Request // without a context and a body
}

// addressOf takes the address from a POST of the SDK's.
func addressOf(req *http.Request) *address {
	return &address{&http.Request{
		Method: http.MethodPost, URL: req.URL, Host: req.Host, Header: req.Header.Clone(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}}
}

// hasSession reports whether the server has given the session an id.
func (a *address) hasSession() bool { return a != nil && a.post.Header.Get(sessionHeader) != "" }

// request is the request with a message. All share the headers, which nobody changes.
func (a *address) request(ctx context.Context, line []byte) *http.Request {
	req := a.post.WithContext(ctx)
	req.ContentLength = int64(len(line))
	// A type that net/http does not know would be sent in a packet of its own.
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(line)), nil }
	req.Body = io.NopCloser(bytes.NewReader(line))
	return req
}

// resumption is the request for what a broken event stream would have said after the
// event with that id.
func (a *address) resumption(ctx context.Context, last string) *http.Request {
	req := a.post.Clone(ctx)
	req.Method = http.MethodGet
	req.Header.Del("Content-Type")
	req.Header.Set("Accept", eventStream)
	req.Header.Set(lastEventHeader, last)
	return req
}
