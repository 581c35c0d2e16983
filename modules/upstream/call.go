package upstream

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// callTool handles a tools/call.
func (s *AggregatorServer) callTool(m *wire.Message, to responder) {
	name, problem := m.ToolName()
	switch {
	case problem != nil:
		to.writeError(m.ID.Of(m.Line), problem)
	case s.leanTools == nil:
		s.forwardCall(m, name, nil, to)
	case lean.Owns(string(name)):
		s.callLeanTool(m, string(name), to)
	default:
		s.forwardCall(m, name, directCall(m, name), to)
	}
}

// forwardCall passes a tools/call to the child that owns the tool, or parks it while that
// child is initializing. In the lean mode, edits is the call, for the edits of the response;
// otherwise nil.
func (s *AggregatorServer) forwardCall(m *wire.Message, name []byte, edits *lean.Forward, to responder) {
	entry, key := s.resolveTool(name)
	switch {
	case entry != nil && !s.parkedCalls.hasQueued(key):
		s.caller.Call(key, m, entry.RawName, s.acceptRequest(m, to).editedFor(edits, entry))
	case key != "":
		request := s.acceptRequest(m, to)
		request.edits = edits
		s.parkCall(&parkedCall{request: request, message: cloneMessage(m), name: string(name)}, key)
	default:
		to.writeError(m.ID.Of(m.Line), s.unknownToolError(string(name)))
	}
}

// resolveTool finds the tool that a tools/call names. It is the only place where a name
// that the client calls is resolved. If no tool has the name yet, it returns the key of a
// child that could own it and is initializing; otherwise an empty key. It looks twice,
// because a child may settle between the look at the tools and the look at the statuses.
func (s *AggregatorServer) resolveTool(name []byte) (entry *registry.Entry, key string) {
	if entry, ok := s.clientView().Lookup(name); ok {
		return entry, entry.Server
	}
	for _, server := range s.servers.Statuses() {
		if !server.Settled && s.naming.MayOwn(server.Key, string(name)) {
			return nil, server.Key
		}
	}
	if entry, ok := s.clientView().Lookup(name); ok {
		return entry, entry.Server
	}
	return nil, ""
}

// clientView returns the current tools as the client sees them.
func (s *AggregatorServer) clientView() *registry.View { return s.tools.Snapshot().View(s.naming) }

// unknownToolError returns the error for a name that no tool has.
func (s *AggregatorServer) unknownToolError(name string) *wire.Error {
	nearest := s.clientView().Nearest(name)
	if !s.naming.Prefixed(name) {
		return wire.InvalidParams("Tool name must be prefixed with server key: " + name + registry.UnknownNameHint(nearest, false))
	}
	failed, others := s.failedOwner(name)
	if failed != nil {
		return toolNotFoundError(name, "", failed)
	}
	return toolNotFoundError(name, registry.UnknownNameHint(nearest, !others), nil)
}

// failedOwner returns the first server that has failed and may own a tool with that name;
// nil if there is none. It also reports whether others may own it.
func (s *AggregatorServer) failedOwner(name string) (failed *ServerStatus, others bool) {
	for _, server := range s.servers.Statuses() {
		if !s.naming.MayOwn(server.Key, name) {
			continue
		}
		if server.Reason != "" {
			return &server, others
		}
		others = true
	}
	return nil, others
}

// cancelCall forwards a notifications/cancelled to the child that has the call, or
// removes the call from those that wait for their child. The child may still respond to
// it; the aggregator does not.
func (s *AggregatorServer) cancelCall(m *wire.Message) {
	raw := m.Param("requestId").Of(m.Line)
	if raw == nil {
		return
	}
	key := wire.KeyOf(raw)
	var found *clientRequest
	match := func(r Replier) bool {
		p, ok := r.(*clientRequest)
		if ok = ok && p.cancelIfMatching(raw, key); ok {
			found = p
		}
		return ok
	}
	if !s.parkedCalls.cancelQueued(m, match) && !s.searches.cancelOpen(match) {
		s.caller.Cancel(m, match)
	}
	if found != nil { // the child has been notified
		found.finishCancelled()
	}
}

// toolNotFoundError returns the error for an unknown tool. Server is the failed server
// that could own it; nil if none could.
func toolNotFoundError(name, hint string, server *ServerStatus) *wire.Error {
	err := &wire.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Tool not found: " + name + hint}
	if server != nil {
		err.Data = failedServer{Server: server.Key, Status: server.State, Reason: server.Reason}
	}
	return err
}

// failedServer is the data of toolNotFoundError.
type failedServer struct {
	Server string `json:"server"`
	Status string `json:"status"`
	Reason string `json:"reason"`
}

func tooManyPendingError() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "Too many requests that the client has not answered"}
}

func notReadyError(key string) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' is not ready, and too many calls wait for it", key)}
}

func batchTooLargeError() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "The answers to the batch are too large"}
}

func stoppingError() *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: "The aggregator is stopping"}
}
