package remote

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"mcp-aggregator/modules/toollist"
	"mcp-aggregator/modules/wire"
)

func (s *session) listTools(ctx context.Context) ([][]byte, error) {
	return toollist.Read(func(params []byte) ([]byte, error) { return s.ask(ctx, "tools/list", params) }, s.log)
}

// ask makes a request of our own and returns the raw result.
func (s *session) ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	answers := make(answer, 1)
	p := &pendingRequest{replier: answers, ours: true}
	if refusal := s.pending.add(p); refusal != nil {
		return nil, refusal
	}
	s.start(p, wire.AppendRequest(nil, strconv.AppendInt(nil, p.id, 10), method, params))
	select {
	case a := <-answers:
		if a.refusal != nil {
			return nil, errors.New("the server answered with the error " + s.shown(string(a.refusal)))
		}
		return a.result, a.err
	case <-ctx.Done():
		s.pending.take(p.id)
		p.cancel()
		p.breakOff()
		return nil, ctx.Err()
	}
}

// answer is the Replier of a request of our own.
type answer chan reply

type reply struct {
	result  []byte
	refusal []byte // the server's error, raw
	err     error  // ours
}

// Reply implements [sessions.Replier].
func (a answer) Reply(response *wire.Message) {
	a <- reply{
		result:  bytes.Clone(response.Result.Of(response.Line)),
		refusal: bytes.Clone(response.Error.Of(response.Line)),
	}
}

// Fail implements [sessions.Replier].
func (a answer) Fail(err *wire.Error) { a <- reply{err: err} }

// relist reads the tools again whenever they have changed, until the session ends.
// There is one reading at a time; what changes during it, or in the pause before,
// takes one more.
func (s *session) relist(ctx context.Context) {
	var pauses toollist.Pauses
	var pause time.Duration
	for {
		if !s.awaitChange(ctx, pause) {
			return
		}
		s.readAgain(ctx)
		var suspect bool
		if pause, suspect = pauses.After(time.Now()); suspect {
			s.log.Warn("the tool list changes each time it is read: it is read more seldom")
		}
	}
}

// awaitChange waits for the pause and for a change; it reports false at the end.
func (s *session) awaitChange(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.done:
		return false
	case <-time.After(pause):
	}
	select {
	case <-ctx.Done():
		return false
	case <-s.done:
		return false
	case <-s.changed:
		return true
	}
}

func (s *session) readAgain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.options.ListAfter)
	defer cancel()
	tools, err := s.listTools(ctx)
	switch {
	case err == nil:
		s.peer.Tools(tools)
	case s.ended(): // the end is what has to be told
	default:
		why := s.shown(err.Error())
		s.log.Warn("changed tool list not read", slog.String("reason", why))
		s.peer.ListFailed(why)
	}
}
