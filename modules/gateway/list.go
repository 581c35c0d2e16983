package gateway

import "mcp-aggregator/modules/wire"

// list answers tools/list from the snapshot, in one page: the service's own tools
// first.
func (g *Gateway) list(s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	if problem := m.BadCursor(); problem != nil {
		out.answer(failure(id, problem))
		return
	}
	tools := g.tools.Snapshot().View(s.naming).Tools()
	between := []byte(",")
	if len(tools) == len("[]") {
		between = nil
	}
	out.answer([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":{"tools":[`), ownTools,
		between, tools[1:], []byte(`}}`))
}
