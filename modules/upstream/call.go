package upstream

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// callTool passes tools/call to the child whose tool it names. A name of a
// child that is still initializing waits for that child.
func (s *AggregatorServer) callTool(m *wire.Message, to responder) {
	name, problem := m.ToolName()
	if problem != nil {
		to.fail(m.ID.Of(m.Line), problem)
		return
	}
	entry, key := s.owner(name)
	switch {
	case entry != nil && !s.parkedCalls.behind(key):
		s.caller.Call(key, m, entry.RawName, s.accept(m, to))
	case key != "":
		s.park(&parkedCall{pending: s.accept(m, to), message: clone(m), name: string(name)}, key)
	default:
		to.fail(m.ID.Of(m.Line), s.refusal(string(name)))
	}
}

// owner returns the tool with that name and the key of its child; only the key
// of a child that is still initializing and could come to have it; nothing when
// there is none. A child may settle between the two looks.
func (s *AggregatorServer) owner(name []byte) (entry *registry.Entry, key string) {
	if entry, ok := s.view().Lookup(name); ok {
		return entry, entry.Server
	}
	for _, server := range s.servers.Statuses() {
		if !server.Settled && s.naming.MayOwn(server.Key, string(name)) {
			return nil, server.Key
		}
	}
	if entry, ok := s.view().Lookup(name); ok {
		return entry, entry.Server
	}
	return nil, ""
}

// view is the list of all tools as the client sees them.
func (s *AggregatorServer) view() *registry.View { return s.tools.Snapshot().View(s.naming) }

// refusal says why no tool has that name.
func (s *AggregatorServer) refusal(name string) *wire.Error {
	nearest := s.view().Nearest(name)
	if !s.naming.Prefixed(name) {
		return wire.InvalidParams("Tool name must be prefixed with server key: " + name + registry.UnknownNameHint(nearest, false))
	}
	noServer := true
	for _, server := range s.servers.Statuses() {
		if !s.naming.MayOwn(server.Key, name) {
			continue
		}
		if server.Reason != "" {
			return toolNotFound(name, "", &server)
		}
		noServer = false
	}
	return toolNotFound(name, registry.UnknownNameHint(nearest, noServer), nil)
}

// cancelCall carries the client's cancellation of a call to the child that the
// call is at, or ends the call's wait for its child. The child may still
// answer; nobody else does.
func (s *AggregatorServer) cancelCall(m *wire.Message) {
	raw := m.Param("requestId").Of(m.Line)
	if raw == nil {
		return
	}
	key := wire.KeyOf(raw)
	var found *clientRequest
	match := func(r Replier) bool {
		p, ok := r.(*clientRequest)
		if ok = ok && p.cancel(raw, key); ok {
			found = p
		}
		return ok
	}
	if !s.parkedCalls.cancel(m, match) {
		s.caller.Cancel(m, match)
	}
	if found != nil { // and its child knows
		found.withdraw()
	}
}

// toolNotFound says that no tool has that name, and what else is known: which ones are
// similar, or why its server has failed.
func toolNotFound(name, hint string, server *ServerStatus) *wire.Error {
	err := &wire.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Tool not found: " + name + hint}
	if server != nil {
		err.Data = absence{Server: server.Key, Status: server.State, Reason: server.Reason}
	}
	return err
}

// absence is the data of toolNotFound.
type absence struct {
	Server string `json:"server"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

func tooManyOpen() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "Too many requests that the client has not answered"}
}

func notReady(key string) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' is not ready, and too many calls wait for it", key)}
}

func tooMuch() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "The answers to the batch are too large"}
}

func stopping() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "The aggregator is stopping"}
}
