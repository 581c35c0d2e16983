package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
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

// send sends a request. It follows redirects that stay with the server and repeat the
// request as it is: a redirect executes nothing, so no call is made twice.
func (s *session) send(req *http.Request) (*http.Response, error) {
	for range maxRedirects {
		resp, err := s.base.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		next := redirected(req, resp)
		if next == nil {
			return resp, nil
		}
		bodyOf(resp)
		req = next
	}
	return s.base.RoundTrip(req)
}

// post sends a message that is not answered, and calls after then. Nobody waits for it.
func (s *session) post(line []byte, after func()) {
	begun := s.do(func(ctx context.Context, _ *worker) {
		defer after()
		ctx, cancel := context.WithTimeout(ctx, s.options.PostAfter)
		defer cancel()
		if err := s.deliver(ctx, line); err != nil && !s.ended() {
			s.log.Warn("message not delivered", slog.String("reason", s.shown(err.Error())))
		}
	})
	if !begun {
		after()
	}
}

func (s *session) deliver(ctx context.Context, line []byte) error {
	to := s.address.Load()
	if to == nil {
		return errors.New("the server asked before it was introduced")
	}
	resp, err := s.send(to.request(ctx, line))
	if err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return errorOf(resp)
	}
	bodyOf(resp)
	return nil
}

// The media types of answers.
const (
	document    = "application/json"
	eventStream = "text/event-stream"
)

// isMediaType reports whether a response is of that type, whatever its parameters.
func isMediaType(resp *http.Response, want string) bool {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), want)
}
