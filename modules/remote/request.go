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

// The headers that name the session, and the event after which an event stream is resumed
// (MCP, basic/transports).
const (
	sessionHeader   = "Mcp-Session-Id"
	lastEventHeader = "Last-Event-Id"
)

// address is where the messages of a session are sent, and with which headers: the
// SDK knows both, and its requests show them. It is immutable.
type address struct {
	post *http.Request // without a context and a body
}

// addressOf returns the address of a POST of the SDK's.
func addressOf(req *http.Request) *address {
	return &address{&http.Request{
		Method: http.MethodPost, URL: req.URL, Host: req.Host, Header: req.Header.Clone(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}}
}

// hasSession reports whether the server has given the session an id.
func (a *address) hasSession() bool { return a != nil && a.post.Header.Get(sessionHeader) != "" }

// newPost returns the POST of a message. All share the headers, which are not modified.
func (a *address) newPost(ctx context.Context, line []byte) *http.Request {
	req := a.post.WithContext(ctx)
	req.ContentLength = int64(len(line))
	// A type that net/http does not know would be sent in a packet of its own.
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(line)), nil }
	req.Body = io.NopCloser(bytes.NewReader(line))
	return req
}

// newResumption returns the request for the messages of a broken event stream after the
// event with that id.
func (a *address) newResumption(ctx context.Context, last string) *http.Request {
	req := a.post.Clone(ctx)
	req.Method = http.MethodGet
	req.Header.Del("Content-Type")
	req.Header.Set("Accept", eventStream)
	req.Header.Set(lastEventHeader, last)
	return req
}

// roundTrip sends a request. It follows redirects that stay with the server and repeat the
// request as it is: a redirect executes nothing, so no call is made twice.
func (s *session) roundTrip(req *http.Request) (*http.Response, error) {
	for range maxRedirects {
		resp, err := s.transport.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		next := redirected(req, resp)
		if next == nil {
			return resp, nil
		}
		readBody(resp)
		req = next
	}
	return s.transport.RoundTrip(req)
}

// postMessage sends a message that is not a request, and then calls after. It does not
// wait.
func (s *session) postMessage(line []byte, after func()) {
	accepted := s.submit(func(ctx context.Context, _ *worker) {
		defer after()
		ctx, cancel := context.WithTimeout(ctx, s.options.PostAfter)
		defer cancel()
		if err := s.deliverMessage(ctx, line); err != nil && !s.isEnded() {
			s.log.Warn("message not delivered", slog.String("reason", s.printable(err.Error())))
		}
	})
	if !accepted {
		after()
	}
}

func (s *session) deliverMessage(ctx context.Context, line []byte) error {
	to := s.address.Load()
	if to == nil {
		return errors.New("the server sent a request before initialize")
	}
	resp, err := s.roundTrip(to.newPost(ctx, line))
	if err != nil {
		return err
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return statusError(resp)
	}
	readBody(resp)
	return nil
}

// The media types of responses.
const (
	document    = "application/json"
	eventStream = "text/event-stream"
)

// isMediaType reports whether a response is of that type, whatever its parameters.
func isMediaType(resp *http.Response, want string) bool {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), want)
}
