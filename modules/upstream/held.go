package upstream

import "mcp-aggregator/modules/wire"

// Bounds of what is kept for a client that never becomes ready.
const (
	maxHeld      = 1024
	maxHeldBytes = 16 << 20
)

// held is one message of a child that came before the client was ready: a
// server may not speak to a client that has not said that it is initialized
// (MCP 2025-11-25, basic/lifecycle#initialization).
type held struct {
	message *wire.Message
	from    Origin
}

// hold keeps the message, or drops it when there are too many; false when the
// client has become ready.
func (r *Relay) hold(m *wire.Message, from Origin) bool {
	r.holdMu.Lock()
	defer r.holdMu.Unlock()
	if r.ready.Load() {
		return false
	}
	if len(r.held) < maxHeld && r.heldBytes+len(m.Line) <= maxHeldBytes {
		r.heldBytes += len(m.Line)
		r.held = append(r.held, held{clone(m), from})
	}
	return true
}

// begin passes on what was held: the client is ready. What children say
// meanwhile waits, so that the order stays.
func (r *Relay) begin() {
	r.holdMu.Lock()
	defer r.holdMu.Unlock()
	for _, h := range r.held {
		r.pass(h.message, h.from)
	}
	r.held = nil
	r.ready.Store(true)
}

func (r *Relay) hasLeft(from Origin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left[from]
}
