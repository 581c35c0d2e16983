package upstream

import (
	"bytes"
	"slices"
	"strconv"

	"mcp-aggregator/modules/wire"
)

// maxOpen bounds the requests of one child that the client has not answered.
const maxOpen = 10_000

// register files the request of a child. It returns the id to ask the client
// under, nil when too many are open, and, only when another open request of a
// child has the same progress token, a token to use in its place.
func (r *ServerRequests) register(m *wire.Message, from Origin) (id, token []byte) {
	a := &pendingRequest{origin: from, theirs: bytes.Clone(m.ID.Of(m.Line))}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[from] >= maxOpen {
		return nil, nil
	}
	r.open[from]++
	r.next++
	a.ours = r.next
	r.pending[a.ours] = a
	if raw := m.Param("_meta", "progressToken").Of(m.Line); raw != nil && string(raw) != "null" {
		a.token, a.known = bytes.Clone(raw), wire.KeyOf(raw)
		for n := a.ours; r.tokens[a.known] != nil; n++ {
			token = strconv.AppendQuote(nil, "aggregator-"+strconv.FormatInt(n, 10))
			a.known = wire.KeyOf(token)
		}
		r.tokens[a.known] = a
	}
	return strconv.AppendInt(nil, a.ours, 10), token
}

// take removes and returns the request with our id; nil when it is not open.
func (r *ServerRequests) take(id int64) *pendingRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.pending[id]
	if a != nil {
		r.forget(a)
	}
	return a
}

// takeTheirs removes and returns the request that the child made under its id.
func (r *ServerRequests) takeTheirs(from Origin, id []byte) *pendingRequest {
	key := wire.KeyOf(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.pending {
		if a.origin == from && wire.KeyOf(a.theirs) == key {
			r.forget(a)
			return a
		}
	}
	return nil
}

// abandon takes nothing more of the child. It removes all its requests and
// returns our ids of them.
func (r *ServerRequests) abandon(from Origin) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left[from] = true
	var ids []int64
	for id, a := range r.pending {
		if a.origin == from {
			ids = append(ids, id)
			r.forget(a)
		}
	}
	slices.Sort(ids)
	return ids
}

func (r *ServerRequests) byToken(raw []byte) *pendingRequest {
	if raw == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tokens[wire.KeyOf(raw)]
}

// forget removes a; the lock is held.
func (r *ServerRequests) forget(a *pendingRequest) {
	delete(r.pending, a.ours)
	r.open[a.origin]--
	if a.token != nil {
		delete(r.tokens, a.known)
	}
}

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
