package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// protocolVersion is what servers are offered: later ones have no sessions.
const protocolVersion = "2025-11-25"

// identity is what servers are told of the service. What they ask of it, they
// ask of the client whose call is open; it has no roots.
func identity(version string) (*mcp.Implementation, *mcp.ClientCapabilities) {
	return &mcp.Implementation{Name: "mcp-aggregator", Version: version}, &mcp.ClientCapabilities{
		Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		Sampling:    &mcp.SamplingCapabilities{}, //nolint:staticcheck // it is part of the version that servers are offered
	}
}

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
	answer := leader.InitializeResult()
	if answer.ProtocolVersion > protocolVersion {
		return nil, fmt.Errorf("initialize: the server answered with protocol version %q, which was not offered", answer.ProtocolVersion)
	}
	if answer.Capabilities == nil || answer.Capabilities.Tools == nil {
		return nil, nil
	}
	return s.listTools(ctx)
}

// connect begins a session of the SDK, over the interceptor. The SDK calls nothing again,
// and leaves it to the interceptor to judge when a stream has broken too often.
func (s *session) connect(ctx context.Context) (*mcp.ClientSession, error) {
	implementation, capabilities := identity(s.options.Version)
	client := mcp.NewClient(implementation, &mcp.ClientOptions{
		Capabilities:   capabilities,
		Logger:         slog.New(slog.DiscardHandler),
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	var transport mcp.Transport = &mcp.StreamableClientTransport{Endpoint: s.endpoint, HTTPClient: s.client, MaxRetries: math.MaxInt32, MaxEventSize: -1}
	if s.sse {
		transport = &mcp.SSEClientTransport{Endpoint: s.endpoint, HTTPClient: s.client, MaxEventSize: -1}
	}
	return client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion})
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
