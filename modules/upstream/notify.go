package upstream

import (
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// notOffered are the notifications of features that the aggregator does not
// announce, by how their names begin.
var notOffered = []string{"notifications/resources/", "notifications/prompts/"}

// notify carries one notification of a child to the client.
func (r *ServerRequests) notify(m *wire.Message, from Origin) {
	if m.MethodIs("notifications/cancelled") {
		r.cancel(m, from)
		return
	}
	method, _ := wire.Unquote(m.Method.Of(m.Line))
	for _, prefix := range notOffered {
		if strings.HasPrefix(method, prefix) {
			return
		}
	}
	r.out.line(m.Line)
}

// cancel tells the client that a child no longer waits for its answer, under
// the id that the client knows.
func (r *ServerRequests) cancel(m *wire.Message, from Origin) {
	span := m.Param("requestId")
	if !span.Present() {
		return
	}
	if a := r.takeTheirs(from, span.Of(m.Line)); a != nil {
		r.out.line(m.Line[:span.Start], strconv.AppendInt(nil, a.ours, 10), m.Line[span.End:])
	}
}
