package gateway

import (
	"hash/maphash"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/wire"
)

// listTools answers tools/list, in one page.
func (g *Gateway) listTools(s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	if problem := m.CheckCursor(); problem != nil {
		out.respond(errorLine(id, problem))
		return
	}
	e, ok := g.endpointAt(s.path)
	if !ok {
		out.respond(errorLine(id, removedProfile()))
		return
	}
	result := g.toolsResult(g.scopeOf(s, e))
	if s.hasVersion() {
		s.listVersion.Store(g.versionOf(result))
	}
	out.respond(resultLine(id, result...)...)
}

// removedProfile is the error of a request that was accepted before its profile was removed.
func removedProfile() *wire.Error {
	return wire.InvalidRequest("the profile of this endpoint was removed")
}

// toolsResult returns the parts of a tools/list result: the service's own tools, then
// those of the servers. It is the only place where a client's list is made.
func (g *Gateway) toolsResult(c *scope) [][]byte {
	if c.Lean {
		return g.leanToolsResult(c)
	}
	var list [][]byte
	for i := range ownTools {
		if own := c.ownTool(ownTools[i].name); own != nil {
			list = append(list, own.definition)
		}
	}
	tools := c.view.ToolsJSON()
	if inner := tools[1 : len(tools)-1]; len(inner) > 0 {
		list = append(list, inner)
	}
	result := [][]byte{[]byte(`{"tools":[`)}
	for i, part := range list {
		if i > 0 {
			result = append(result, []byte(","))
		}
		result = append(result, part)
	}
	return append(result, []byte(`]}`))
}

// leanToolsResult is the list of a lean endpoint: the three tools, then those that are
// pinned.
func (g *Gateway) leanToolsResult(c *scope) [][]byte {
	var pinned [][]byte
	for i := range ownTools {
		if own := c.ownTool(ownTools[i].name); own != nil && c.Pin.Match(own.name) {
			pinned = append(pinned, own.definition)
		}
	}
	pinned = append(pinned, c.view.Definitions(c.Pin)...)
	listing := lean.Definitions(g.catalogueOf(c).Servers())
	return [][]byte{[]byte(`{"tools":`), listing.Array(pinned...), []byte(`}`)}
}

// versionOf returns a number that differs when a list does.
func (g *Gateway) versionOf(result [][]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(g.seed)
	for _, part := range result {
		_, _ = h.Write(part) // never fails
	}
	return h.Sum64()
}

// resolveTool resolves the name in a tools/call: to a tool of the service's own, or to
// what the router looks up. It is the only place where a name that a client calls is
// resolved; the three tools of a lean endpoint come before (callLean).
func (s *session) resolveTool(e *Endpoint, name string) (own *ownTool, query router.Query) {
	if own = e.ownTool(name); own != nil {
		return own, query
	}
	return nil, router.Query{Name: name, Naming: s.namingAt(e)}
}
