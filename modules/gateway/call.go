package gateway

import (
	"context"
	"errors"
	"slices"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// callTool handles a tools/call and writes the response.
func (g *Gateway) callTool(ctx context.Context, s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	tool, problem := m.ToolName()
	if problem != nil {
		out.respond(errorLine(id, problem))
		return
	}
	builtin, query := g.resolveTool(s, string(tool))
	if builtin != nil {
		out.respond(resultLine(id, builtin(m))...)
		return
	}
	client := &callClient{session: s, out: out}
	answer, err := g.caller.Call(ctx, router.Call{Query: query, Request: m, Client: client})
	s.endPending(client)
	switch {
	case ctx.Err() != nil && cancelledByClient(ctx):
		out.finishWithoutResponse() // a cancelled request gets no response
	case ctx.Err() != nil:
		out.respond(errorLine(id, wire.InternalError("the session has ended, or the service is stopping: whether the call was executed is unknown")))
	case err != nil:
		out.respond(errorLine(id, callError(err)))
	default:
		parts := answer.Response.Parts(id, nil)
		out.respond(parts[:]...)
	}
}

// cancelledByClient reports whether a notifications/cancelled has ended ctx.
func cancelledByClient(ctx context.Context) bool {
	_, ok := errors.AsType[*router.CancelledError](context.Cause(ctx))
	return ok
}

// callError returns the JSON-RPC error for a call without a response. For an unknown
// tool, MCP has invalid params (2025-11-25, server/tools#error-handling).
func callError(err error) *wire.Error {
	if unknown, ok := errors.AsType[*servers.UnknownToolError](err); ok {
		return wire.InvalidParams("Unknown tool: " + unknown.Name + unknownToolHint(unknown))
	}
	problem := wire.InternalError(err.Error())
	if absent, ok := errors.AsType[*servers.UnavailableError](err); ok {
		problem.Data = unavailableServer{Server: absent.Server, Status: absent.Status, Reason: absent.Reason}
	}
	if lost, ok := errors.AsType[*servers.LostError](err); ok {
		problem.Data = lostCall{Server: lost.Server, Outcome: "unknown"}
	}
	return problem
}

// unknownToolHint adds the built-in tools, which the router does not know, to the
// suggestions in the error.
func unknownToolHint(unknown *servers.UnknownToolError) string {
	own := registry.Nearest(unknown.Name, slices.Values([]registry.NamedTool{{Name: listServers}, {Name: serverStatus}}))
	if own == nil {
		return unknown.Hint
	}
	return registry.UnknownNameHint(append(own, unknown.Nearest...), false)
}

// unavailableServer is the data of the error for a server that is not connected.
type unavailableServer struct {
	Server string         `json:"server"`
	Status servers.Status `json:"status"`
	Reason string         `json:"reason,omitempty"`
}

// lostCall is the data of the error for a call that may have been executed.
type lostCall struct {
	Server  string `json:"server"`
	Outcome string `json:"outcome"`
}
