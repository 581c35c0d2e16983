package upstream

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/wire"
)

// pendingInitialize is an initialize request that the SDK is handling.
type pendingInitialize struct {
	id     []byte            // raw JSON
	answer chan wire.Message // receives the response after it has been written
}

// handlePing lets the SDK answer a ping. Pings in batches are answered here, since the
// SDK does not know about the batch.
func (s *AggregatorServer) handlePing(m *wire.Message, to responder) {
	if to != s.out {
		to.writeLine([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Line), []byte(`,"result":{}}`))
		return
	}
	s.inFlight.increment()
	if err := s.session.Deliver(m); err != nil {
		s.out.writeError(m.ID.Of(m.Line), wire.InvalidRequest(err.Error()))
		s.inFlight.decrement()
	}
}

// handleInitialize lets the SDK answer initialize and passes the result on to the
// children. It returns after the response: what the client sends right behind its
// initialize must find the session initialized.
func (s *AggregatorServer) handleInitialize(m *wire.Message, to responder) {
	id := m.ID.Of(m.Line)
	if s.initialized() {
		to.writeError(id, wire.InvalidRequest("initialize was already answered"))
		return
	}
	requested, ok := wire.Unquote(m.Param("protocolVersion").Of(m.Line))
	if !ok {
		s.out.writeError(id, wire.InvalidParams("initialize: protocolVersion must be a string"))
		return
	}
	result, err := s.negotiate(m, requested)
	if err != nil {
		s.out.writeError(id, wire.InvalidParams("initialize: "+err.Error()))
		return
	}
	version, agreed := wire.Unquote(wire.Member(result, "protocolVersion").Of(result))
	if !agreed {
		return
	}
	s.version = version
	info := m.Param("clientInfo").Of(m.Line)
	name, _ := wire.Unquote(wire.Member(info, "name").Of(info))
	s.naming = s.options.Separator.NamingFor(name)
	s.requests.setCapabilities(bytes.Clone(m.Param("capabilities").Of(m.Line)))
	s.servers.ClientInitialized(newClient(m, version))
}

// newClient returns what initialize says about the client, with the negotiated version
// instead of the requested one.
func newClient(m *wire.Message, version string) Client {
	line := wire.Replace(m.Line, wire.Edit{Span: m.Param("protocolVersion"), With: wire.AppendQuoted(nil, version)})
	var agreed wire.Message
	if err := new(wire.Scanner).Scan(line, &agreed); err != nil {
		return Client{ProtocolVersion: version}
	}
	return Client{Initialize: agreed.Params.Of(line), ProtocolVersion: version}
}

var errStopped = errors.New("the aggregator is stopping")

// negotiate returns the SDK's result of initialize, or nil if the SDK answered with an
// error. The SDK sees only the version: its types reject content that the children may
// accept.
func (s *AggregatorServer) negotiate(m *wire.Message, version string) ([]byte, error) {
	g := &pendingInitialize{id: m.ID.Of(m.Line), answer: make(chan wire.Message, 1)}
	s.initializing.Store(g)
	defer s.initializing.Store(nil)
	params := wire.AppendQuoted([]byte(`{"capabilities":{},"clientInfo":{"name":"","version":""},"protocolVersion":`), version)
	var request wire.Message
	if err := new(wire.Scanner).Scan(wire.AppendRequest(nil, g.id, "initialize", append(params, '}')), &request); err != nil {
		return nil, err
	}
	if err := s.session.Deliver(&request); err != nil {
		return nil, err
	}
	select {
	case answer := <-g.answer:
		return answer.Result.Of(answer.Line), nil
	case <-s.stop:
		return nil, errStopped
	}
}

// writeSessionMessage writes a response of the SDK's server to the client.
func (s *AggregatorServer) writeSessionMessage(m *wire.Message) error {
	s.out.writeLine(m.Line)
	s.out.Flush()
	id := m.ID.Of(m.Line)
	if g := s.initializing.Load(); g != nil && bytes.Equal(g.id, id) {
		kept := *m
		kept.Line = bytes.Clone(m.Line)
		g.answer <- kept
		return nil
	}
	s.inFlight.decrement()
	return nil
}

// connectSession starts the SDK's server.
func (s *AggregatorServer) connectSession(ctx context.Context) error {
	server := mcp.NewServer(
		&mcp.Implementation{Name: s.options.Name, Version: s.options.Version},
		&mcp.ServerOptions{
			Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
			SupportedProtocolVersions: wire.SessionRevisions(),
			Logger:                    slog.New(slog.DiscardHandler),
		})
	_, err := server.Connect(ctx, s.session, nil)
	return err
}
