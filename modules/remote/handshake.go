package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/wire"
)

// begin introduces the service to the server and returns the definitions of its tools.
// Both contexts end the attempt; the session goes on with life.
func (s *session) begin(ctx, life context.Context) ([][]byte, error) {
	leader, err := s.connect(life)
	if err != nil {
		return nil, err
	}
	if !s.lead(leader) {
		_ = leader.Close() // the session has ended meanwhile
		return nil, errors.New("the session ended while it began")
	}
	hasTools, err := mcpclient.HasTools(leader.InitializeResult())
	if err != nil {
		return nil, fmt.Errorf("initialize: the server answered with %w", err)
	}
	if !hasTools {
		return nil, nil
	}
	return s.listTools(ctx)
}

// connect begins a session of the SDK, over the interceptor. The SDK never gives up a stream that breaks: the
// interceptor judges when one has broken too often.
func (s *session) connect(ctx context.Context) (*mcp.ClientSession, error) {
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.endpoint, HTTPClient: s.client, MaxRetries: math.MaxInt32, MaxEventSize: -1}
	if s.sse {
		transport = &mcp.SSEClientTransport{Endpoint: s.endpoint, HTTPClient: s.client, MaxEventSize: -1}
	}
	return mcpclient.Service(s.options.Version).Connect(ctx, transport, mcpclient.ProtocolVersion)
}

// lead takes the SDK's side, and watches it; it reports false if the session has ended
// already.
func (s *session) lead(leader *mcp.ClientSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.mcp = leader
		s.work.Go(func() { s.watch(leader) })
	}
	return !s.over
}

// watch ends the session when the SDK's side of it has ended.
func (s *session) watch(leader *mcp.ClientSession) {
	err := leader.Wait()
	switch {
	case s.sse:
		s.lost("the server ended the event stream")
	default:
		s.log.Debug("session of the SDK ended", slog.String("reason", s.shown(fmt.Sprint(err))))
		s.lost("the session broke")
	}
}

// explain is why dialling failed: what HTTP met says more than what the SDK makes
// of it.
func (s *session) explain(err error) error {
	s.mu.Lock()
	first, cause := s.first, s.cause
	s.mu.Unlock()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		err = errors.New("the server did not answer in time")
	case errors.Is(err, context.Canceled) && first == nil && cause == nil:
		err = errors.New("the attempt was given up")
	case first != nil:
		err = first
	case cause != nil:
		err = cause
	}
	return errors.New(s.shown(err.Error()))
}

// note keeps the first thing that went wrong.
func (s *session) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == nil {
		s.first = err
	}
}

// listTools reads every page of the server's tools/list.
func (s *session) listTools(ctx context.Context) ([][]byte, error) {
	return mcpclient.ListTools(func(params []byte) ([]byte, error) {
		return s.ask(ctx, "tools/list", params)
	}, s.log)
}

// ask makes a request of our own and returns the raw result.
func (s *session) ask(ctx context.Context, method string, params []byte) ([]byte, error) {
	outcome := mcpclient.NewOutcome()
	p := &pendingRequest{replier: outcome, ours: true}
	if refusal := s.pending.add(p); refusal != nil {
		return nil, refusal
	}
	s.start(p, wire.AppendRequest(nil, strconv.AppendInt(nil, p.id, 10), method, params))
	result, err := outcome.Wait(ctx, func(text []byte) string { return s.shown(string(text)) })
	if err != nil && ctx.Err() != nil {
		s.pending.Remove(p.id)
		p.cancel()
		p.breakOff()
	}
	return result, err
}

// relist reads the tools again whenever they have changed, until the context ends.
func (s *session) relist(ctx context.Context) {
	mcpclient.Relist(ctx, s.changes, s.log, s.readAgain)
}

func (s *session) readAgain(ctx context.Context) {
	if s.ended() {
		return
	}
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
