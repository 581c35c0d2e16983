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

// initialize initializes the session and returns the definitions of the server's tools.
// Both contexts bound the attempt; the session lasts as long as life.
func (s *session) initialize(ctx, life context.Context) ([][]byte, error) {
	sdk, err := s.connect(life)
	if err != nil {
		return nil, err
	}
	if !s.setSDKSession(sdk) {
		_ = sdk.Close() // the session has ended meanwhile
		return nil, errors.New("the session ended while it began")
	}
	answer := sdk.InitializeResult()
	s.info = mcpclient.InfoOf(answer)
	hasTools, err := mcpclient.HasTools(answer)
	if err != nil {
		return nil, fmt.Errorf("initialize: the server answered with %w", err)
	}
	if !hasTools {
		return nil, nil
	}
	return s.listTools(ctx)
}

// connect begins a session of the SDK, over the interceptor. The SDK opens a stream that
// breaks again without limit: the interceptor judges when one has broken too often.
func (s *session) connect(ctx context.Context) (*mcp.ClientSession, error) {
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.endpoint, HTTPClient: s.httpClient, MaxRetries: math.MaxInt32, MaxEventSize: -1}
	if s.sse {
		transport = &mcp.SSEClientTransport{Endpoint: s.endpoint, HTTPClient: s.httpClient, MaxEventSize: -1}
	}
	return mcpclient.Service(s.options.Version).Connect(ctx, transport, mcpclient.ProtocolVersion)
}

// setSDKSession stores the SDK's session and watches it; it reports false if the session
// has ended already.
func (s *session) setSDKSession(sdk *mcp.ClientSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.sdkSession = sdk
		s.work.Go(func() { s.watchSDKSession(sdk) })
	}
	return !s.ended
}

// watchSDKSession ends the session when the SDK's has ended.
func (s *session) watchSDKSession(sdk *mcp.ClientSession) {
	err := sdk.Wait()
	switch {
	case s.sse:
		s.endBecause("the server ended the event stream")
	default:
		s.log.Debug("session of the SDK ended", slog.String("reason", s.printable(fmt.Sprint(err))))
		s.endBecause("the session broke")
	}
}

// dialError returns why dialing failed: the error of HTTP says more than what the SDK
// makes of it.
func (s *session) dialError(err error) error {
	s.mu.Lock()
	first, cause := s.firstError, s.cause
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
	return errors.New(s.printable(err.Error()))
}

// recordFirstError stores the error unless there is one already.
func (s *session) recordFirstError(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.firstError == nil {
		s.firstError = err
	}
}

// listTools reads every page of the server's tools/list.
func (s *session) listTools(ctx context.Context) ([][]byte, error) {
	return mcpclient.ListTools(func(params []byte) ([]byte, error) {
		return s.request(ctx, "tools/list", params)
	}, s.log)
}

// request makes a request of our own and returns the raw result.
func (s *session) request(ctx context.Context, method string, params []byte) ([]byte, error) {
	outcome := mcpclient.NewOutcome()
	p := &pendingRequest{replier: outcome, ours: true}
	if refusal := s.pending.addRequest(p); refusal != nil {
		return nil, refusal
	}
	s.sendRequest(p, wire.AppendRequest(nil, strconv.AppendInt(nil, p.id, 10), method, params))
	result, err := outcome.Wait(ctx, func(text []byte) string { return s.printable(string(text)) })
	if err != nil && ctx.Err() != nil {
		s.pending.Remove(p.id)
		p.cancelUnsent()
		p.abortPost()
	}
	return result, err
}

// relist reads the tools again whenever they have changed, until the context ends.
func (s *session) relist(ctx context.Context) {
	mcpclient.Relist(ctx, s.changes, s.log, s.readChangedTools)
}

func (s *session) readChangedTools(ctx context.Context) {
	if s.isEnded() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.options.ListAfter)
	defer cancel()
	tools, err := s.listTools(ctx)
	switch {
	case err == nil:
		s.peer.Tools(tools)
	case s.isEnded(): // the end is reported instead
	default:
		why := s.printable(err.Error())
		s.log.Warn("changed tool list not read", slog.String("reason", why))
		s.peer.ListFailed(why)
	}
}
