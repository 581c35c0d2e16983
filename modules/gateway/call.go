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

// call carries a tools/call.
func (g *Gateway) call(ctx context.Context, s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	tool, problem := m.ToolName()
	if problem != nil {
		out.answer(failure(id, problem))
		return
	}
	if own := g.own(string(tool)); own != nil {
		out.answer([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), own(m), []byte(`}`))
		return
	}
	client := &client{session: s, out: out}
	answer, err := g.caller.Call(ctx, router.Call{
		Query:   router.Query{Name: string(tool), Naming: s.naming},
		Request: m, Client: client,
	})
	s.settle(client)
	switch {
	case ctx.Err() != nil && cancelled(ctx):
		out.leave() // the client does not wait for an answer
	case ctx.Err() != nil:
		out.answer(failure(id, wire.InternalError("The session is over, or the service is stopping: whether the call was executed is unknown")))
	case err != nil:
		out.answer(failure(id, problemOf(err)))
	default:
		parts := answer.Response.Parts(id, nil)
		out.answer(parts[:]...)
	}
}

// cancelled reports whether the client has cancelled the call of ctx.
func cancelled(ctx context.Context) bool {
	_, ok := errors.AsType[*router.CancelledError](context.Cause(ctx))
	return ok
}

// problemOf is how a call that reached no server, or brought no answer, looks to a
// client. An unknown tool is what MCP calls invalid params (2025-11-25,
// server/tools#error-handling).
func problemOf(err error) *wire.Error {
	if unknown, ok := errors.AsType[*servers.UnknownToolError](err); ok {
		return wire.InvalidParams("Unknown tool: " + unknown.Name + hint(unknown))
	}
	problem := wire.InternalError(err.Error())
	if absent, ok := errors.AsType[*servers.UnavailableError](err); ok {
		problem.Data = absence{Server: absent.Server, Status: absent.Status, Reason: absent.Reason}
	}
	if lost, ok := errors.AsType[*servers.LostError](err); ok {
		problem.Data = loss{Server: lost.Server, Outcome: "unknown"}
	}
	return problem
}

// hint is that of the error, with the service's own tools, which the router does not know.
func hint(unknown *servers.UnknownToolError) string {
	own := registry.Nearest(unknown.Name, slices.Values([]registry.NamedTool{{Name: listServers}, {Name: serverStatus}}))
	if own == nil {
		return unknown.Hint
	}
	return registry.UnknownNameHint(append(own, unknown.Nearest...), false)
}

// absence is the data of the error for a server that is not connected.
type absence struct {
	Server string         `json:"server"`
	Status servers.Status `json:"status"`
	Reason string         `json:"reason,omitempty"`
}

// loss is the data of the error for a call that may have been executed.
type loss struct {
	Server  string `json:"server"`
	Outcome string `json:"outcome"`
}
