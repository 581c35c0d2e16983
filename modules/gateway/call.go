package gateway

import (
	"context"
	"errors"
	"slices"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// toolCall is a tools/call with what it takes to answer it.
type toolCall struct {
	session  *session
	endpoint Endpoint
	name     string        // of the tool
	request  *wire.Message // which is passed on
	id       []byte        // of the client's request
	out      responder

	forward *lean.Forward // nil unless the endpoint is lean
	lookup  func(name string) (lean.Tool, lean.Presence)
}

// callTool handles a tools/call and writes the response.
func (g *Gateway) callTool(ctx context.Context, s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	tool, problem := m.ToolName()
	if problem != nil {
		out.respond(errorLine(id, problem))
		return
	}
	e, ok := g.endpointAt(s.path)
	if !ok {
		out.respond(errorLine(id, removedProfile()))
		return
	}
	t := toolCall{session: s, endpoint: e, name: string(tool), request: m, id: id, out: out}
	if e.Lean {
		g.callLean(ctx, &t)
		return
	}
	g.forwardCall(ctx, &t)
}

// forwardCall carries a call to the tool that has its name, and writes the response.
func (g *Gateway) forwardCall(ctx context.Context, t *toolCall) {
	own, query := t.session.resolveTool(&t.endpoint, t.name)
	if own != nil {
		t.respondOwn(own.call(g, g.scopeOf(t.session, t.endpoint), t.request))
		return
	}
	client := &callClient{session: t.session, out: t.out}
	answer, err := g.caller.Call(ctx, router.Call{
		Query: query, Request: t.request, Client: client, Session: t.session.id, Principal: t.session.principal,
	})
	t.session.endPending(client)
	switch {
	case ctx.Err() != nil:
		t.respondCancelled(ctx)
	case err != nil:
		t.respondError(callError(err, &t.endpoint))
	default:
		t.respondAnswer(answer.Response)
	}
}

// respondCancelled responds to a call whose context has ended.
func (t *toolCall) respondCancelled(ctx context.Context) {
	if cancelledByClient(ctx) {
		t.out.finishWithoutResponse() // a cancelled request gets no response
		return
	}
	t.out.respond(errorLine(t.id, wire.InternalError("the session has ended, or the service is stopping: whether the call was executed is unknown")))
}

func (t *toolCall) respondError(err *wire.Error) { t.out.respond(errorLine(t.id, err)) }

// respondOwn responds with the result of one of the service's own tools.
func (t *toolCall) respondOwn(result []byte) {
	response := new(wire.Message)
	_ = new(wire.Scanner).Scan(slices.Concat(resultLine(t.id, result)...), response) // cannot fail
	t.respondAnswer(response)
}

// respondAnswer responds with the server's own bytes, and what a lean endpoint adds.
func (t *toolCall) respondAnswer(response *wire.Message) {
	if edits := t.edits(response); len(edits) > 0 {
		t.out.respond(wire.Replace(response.Line, append(edits, wire.Edit{Span: response.ID, With: t.id})...))
		return
	}
	parts := response.Parts(t.id, nil)
	t.out.respond(parts[:]...)
}

// cancelledByClient reports whether a notifications/cancelled has ended ctx.
func cancelledByClient(ctx context.Context) bool {
	_, ok := errors.AsType[*router.CancelledError](context.Cause(ctx))
	return ok
}

// callError returns the JSON-RPC error for a call without a response. For an unknown
// tool, MCP has invalid params (2025-11-25, server/tools#error-handling).
func callError(err error, e *Endpoint) *wire.Error {
	if unknown, ok := errors.AsType[*servers.UnknownToolError](err); ok {
		return wire.InvalidParams("Unknown tool: " + unknown.Name + unknownToolHint(unknown, e))
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

// unknownToolHint adds the endpoint's own tools, which the router does not know, to the
// suggestions in the error.
func unknownToolHint(unknown *servers.UnknownToolError, e *Endpoint) string {
	own := e.nearestOwn(unknown.Name)
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
