package upstream

import "mcp-aggregator/modules/wire"

// Bounds of what is kept for a client that never becomes ready.
const (
	maxHeld      = 1024
	maxHeldBytes = 16 << 20
)

// queuedMessage is one message of a child that came before the client was ready: a
// server may not speak to a client that has not said that it is initialized
// (MCP 2025-11-25, basic/lifecycle#initialization).
type queuedMessage struct {
	message *wire.Message
	from    Origin
}

// queue keeps the message, or drops it when there are too many; false when the
// client has become ready.
func (r *ServerRequests) queue(m *wire.Message, from Origin) bool {
	r.queueMu.Lock()
	defer r.queueMu.Unlock()
	if r.ready.Load() {
		return false
	}
	if len(r.queued) < maxHeld && r.queuedBytes+len(m.Line) <= maxHeldBytes {
		r.queuedBytes += len(m.Line)
		r.queued = append(r.queued, queuedMessage{clone(m), from})
	}
	return true
}

// flushQueued passes on what was held: the client is ready. What children say
// meanwhile waits, so that the order stays.
func (r *ServerRequests) flushQueued() {
	r.queueMu.Lock()
	defer r.queueMu.Unlock()
	for _, h := range r.queued {
		r.handle(h.message, h.from)
	}
	r.queued = nil
	r.ready.Store(true)
}

func (r *ServerRequests) hasLeft(from Origin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left[from]
}
