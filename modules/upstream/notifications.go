package upstream

import (
	"log/slog"

	"mcp-aggregator/modules/wire"
)

// notification handles one of the client's.
func (s *AggregatorServer) notification(m *wire.Message) {
	switch {
	case !s.initialized(), requestOnly(m):
	case m.MethodIs("notifications/initialized"):
		s.clientReady()
		if err := s.session.Deliver(m); err != nil {
			s.log.Debug("initialized ignored", slog.String("reason", err.Error()))
		}
	case m.MethodIs("notifications/cancelled"):
		s.cancelCall(m)
	case m.MethodIs("notifications/progress"):
		s.requests.progress(m)
	default:
		s.caller.Broadcast(m)
	}
}

// requestOnly reports whether m is a request of ours that lacks its id: nobody
// else's business.
func requestOnly(m *wire.Message) bool {
	return m.MethodIs("initialize") || m.MethodIs("ping") || m.MethodIs("tools/list") || m.MethodIs("tools/call")
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

// response takes the client's answer to a request of a child.
func (s *AggregatorServer) response(m *wire.Message) {
	if string(m.JSONRPC.Of(m.Line)) != `"2.0"` {
		s.requests.refuse(wire.EnvelopeOf(m.Line), wire.InvalidRequest(`jsonrpc must be "2.0"`))
		return
	}
	if m.Duplicate != "" || !s.requests.answer(m) {
		s.log.Debug("answer of the client ignored: nothing was asked under its id")
	}
}
