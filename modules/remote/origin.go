package remote

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/wire"
)

func ourError(text string) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: text}
}

// Send implements [sessions.Origin]: it answers what the server has asked.
func (s *session) Send(parts ...[]byte) { s.post(bytes.Join(parts, nil), func() {}) }

// post sends a message that is not answered, as the SDK sends its own, and calls
// after then. Nobody waits for it.
func (s *session) post(line []byte, after func()) {
	begun := s.spawn(func(ctx context.Context) {
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
	resp, err := s.client.Do(s.tap.request(ctx, line))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return errorOf(resp)
	}
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxRefusal))
	return err
}

// remember keeps what a POST looks like once the server has been introduced: the
// SDK knows its address, and has given it the headers of the session.
func (t *tap) remember(req *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.poster = req.Clone(context.WithoutCancel(req.Context()))
}

// request returns a POST of our own.
func (t *tap) request(ctx context.Context, line []byte) *http.Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return with(t.poster.Clone(ctx), line)
}

// known reports whether the server has given the session an id.
func (t *tap) known() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.poster != nil && t.poster.Header.Get(sessionHeader) != ""
}
