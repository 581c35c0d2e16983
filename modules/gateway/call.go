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

// callTool carries a tools/call.
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
		out.finishWithoutResponse() // the client does not wait for an answer
	case ctx.Err() != nil:
		out.respond(errorLine(id, wire.InternalError("The session is over, or the service is stopping: whether the call was executed is unknown")))
	case err != nil:
		out.respond(errorLine(id, callError(err)))
	default:
		parts := answer.Response.Parts(id, nil)
		out.respond(parts[:]...)
	}
}

// cancelledByClient reports whether the client has cancelled the call of ctx.
func cancelledByClient(ctx context.Context) bool {
	_, ok := errors.AsType[*router.CancelledError](context.Cause(ctx))
	return ok
}

// callError is how a call that reached no server, or brought no answer, looks to a
// client. An unknown tool is what MCP calls invalid params (2025-11-25,
// server/tools#error-handling).
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

// unknownToolHint is that of the error, with the service's own tools, which the router does not know.
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
