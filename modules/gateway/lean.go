package gateway

import (
	"context"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// callLean handles a tools/call at a lean endpoint: of one of the three tools, or of any
// other by its own name. What call_tool asks for goes the way of a direct call.
func (g *Gateway) callLean(ctx context.Context, t *toolCall) {
	catalogue := g.catalogueOf(g.scopeOf(t.session, t.endpoint))
	t.lookup = catalogue.Lookup
	if !lean.Owns(t.name) {
		t.forward = &lean.Forward{Name: t.name, Arguments: argumentsOf(t.request)}
		g.forwardCall(ctx, t)
		return
	}
	outcome := lean.Call(ctx, catalogue, t.name, t.request.Params.Of(t.request.Line))
	switch {
	case ctx.Err() != nil:
		t.respondCancelled(ctx)
	case outcome.Forward == nil:
		t.out.respond(resultLine(t.id, outcome.Result)...)
	default:
		t.forward, t.name = outcome.Forward, outcome.Forward.Name
		t.request = withParams(t.request, outcome.Forward.Params)
		g.forwardCall(ctx, t)
	}
}

// argumentsOf returns the arguments of a tools/call.
func argumentsOf(m *wire.Message) []byte {
	if arguments := m.Param("arguments").Of(m.Line); arguments != nil {
		return arguments
	}
	return []byte("{}")
}

// withParams returns the request with other params.
func withParams(m *wire.Message, params []byte) *wire.Message {
	out := new(wire.Message)
	_ = new(wire.Scanner).Scan(wire.Splice(m.Line, m.Params, params), out) // cannot fail: both were valid
	return out
}

// edits returns what is added to the response of a call at a lean endpoint. The tool may
// have been unknown when the call was made, because its server was connecting.
func (t *toolCall) edits(response *wire.Message) []wire.Edit {
	if t.forward == nil {
		return nil
	}
	if t.forward.Tool.Definition == nil {
		t.forward.Tool, _ = t.lookup(t.name)
	}
	return t.forward.Edits(response)
}

// catalogueOf returns the catalogue of what a session sees, with the service's own tools,
// which a search does not find.
func (g *Gateway) catalogueOf(c *scope) lean.Catalogue {
	return &ownCatalogue{g.catalogues.Catalogue(CatalogueClient{
		Session: c.session.id, Principal: c.session.principal, Snapshot: c.snapshot, View: c.view,
		Unlisted: func(name string) bool { return g.mayBeUnlisted(c.naming, name) },
	}), &c.Endpoint}
}

// ownCatalogue adds the service's own tools to a catalogue.
type ownCatalogue struct {
	lean.Catalogue

	endpoint *Endpoint
}

// Lookup implements [lean.Catalogue].
func (c *ownCatalogue) Lookup(name string) (lean.Tool, lean.Presence) {
	if own := c.endpoint.ownTool(name); own != nil {
		return lean.Tool{Name: name, Definition: own.definition}, lean.Listed
	}
	return c.Catalogue.Lookup(name)
}

// Nearest implements [lean.Catalogue].
func (c *ownCatalogue) Nearest(name string) []string {
	return append(c.endpoint.nearestOwn(name), c.Catalogue.Nearest(name)...)
}

// nearestOwn returns the names of the endpoint's tools, beside those of the servers, that
// are written almost like name.
func (e *Endpoint) nearestOwn(name string) []string {
	return registry.Nearest(name, func(yield func(registry.NamedTool) bool) {
		for i := range ownTools {
			if e.ownTool(ownTools[i].name) != nil && !yield(registry.NamedTool{Name: ownTools[i].name}) {
				return
			}
		}
		for _, name := range []string{lean.SearchTools, lean.DescribeTools, lean.CallTool} {
			if e.Lean && !yield(registry.NamedTool{Name: name}) {
				return
			}
		}
	})
}
