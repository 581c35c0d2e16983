package remote

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
)

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
