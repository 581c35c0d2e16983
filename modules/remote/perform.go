package remote

import (
	"bytes"
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// Call implements [sessions.Session].
func (s *session) Call(request *wire.Message, tool []byte, r sessions.Replier) {
	c, err := s.newCall(r)
	if err != nil {
		refusal := *err
		r.Fail(&refusal)
		return
	}
	parts := request.Parts(strconv.AppendInt(nil, c.id, 10), tool)
	s.start(c, bytes.Join(parts[:], nil))
}

func (s *session) newCall(r sessions.Replier) (*call, *wire.Error) {
	over := make(chan struct{})
	c := &call{replier: r, over: over, release: sync.OnceFunc(func() { close(over) })}
	ctx, cancel := context.WithCancel(s.open())
	c.cancel = cancel
	c.context = func() context.Context { return context.WithValue(ctx, callKey{}, c) }
	if err := s.calls.add(c); err != nil {
		cancel()
		return nil, err
	}
	return c, nil
}

// start sends the call. One that begins while the session ends is failed by that.
//
//nolint:contextcheck // a call has a context of its own
func (s *session) start(c *call, line []byte) {
	c.line = line
	s.spawn(func(context.Context) { s.perform(c) })
}

// custom is the name under which the SDK sends our calls: tap puts the request in its
// place, and an empty answer in the place of the real one.
const custom = "aggregator/call"

type (
	nothing struct{ mcp.ParamsBase }
	empty   struct{ mcp.ResultBase }
)

// perform has the SDK make the call, and keeps the stream of the answer open until
// the server ends it, so that its connection can be used again.
func (s *session) perform(c *call) {
	defer c.cancel()
	ctx := c.context()
	_, err := mcp.CallCustomMethod[*nothing, *empty](ctx, s.leader(), custom, &nothing{})
	if err != nil {
		text, unsent := "the server ended the answer before it was complete", c.drop()
		if unsent {
			text = "the session ended before the call was sent"
		}
		s.calls.fail(c, text, unsent)
		return
	}
	select {
	case <-c.over:
	case <-ctx.Done():
	case <-time.After(drainTime):
	}
}

// drainTime is how long a stream may go on after the answer.
const drainTime = 2 * time.Second

// Cancel implements [sessions.Session]. The server hears of it in the client's own
// words; then the answer is not waited for.
func (s *session) Cancel(notification *wire.Message, r sessions.Replier) {
	c, ok := s.calls.takeOf(r)
	if !ok {
		return
	}
	unsent := c.drop()
	defer r.Fail(&wire.Error{Code: jsonrpc.CodeInternalError, Message: "the call was cancelled", Unsent: unsent})
	if unsent {
		c.cancel()
		return
	}
	line := bytes.Clone(notification.Line)
	if span := notification.Param("requestId"); span.Present() {
		line = wire.Splice(notification.Line, span, strconv.AppendInt(nil, c.id, 10))
	}
	s.post(line, c.cancel)
}
