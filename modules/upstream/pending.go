package upstream

import (
	"bytes"
	"slices"
	"strconv"

	"mcp-aggregator/modules/wire"
)

// maxPendingPerServer bounds the requests of one child that the client has not answered.
const maxPendingPerServer = 10_000

// addPending files the request of a child. It returns the id to ask the client
// under, nil when too many are open, and, only when another open request of a
// child has the same progress token, a token to use in its place.
func (r *ServerRequests) addPending(m *wire.Message, from Origin) (id, token []byte) {
	a := &pendingRequest{origin: from, serverID: bytes.Clone(m.ID.Of(m.Line))}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pendingCount[from] >= maxPendingPerServer {
		return nil, nil
	}
	r.pendingCount[from]++
	r.lastID++
	a.id = r.lastID
	r.pending[a.id] = a
	if raw := m.Param("_meta", "progressToken").Of(m.Line); raw != nil && string(raw) != "null" {
		a.serverToken, a.clientToken = bytes.Clone(raw), wire.KeyOf(raw)
		for n := a.id; r.pendingByToken[a.clientToken] != nil; n++ {
			token = strconv.AppendQuote(nil, "aggregator-"+strconv.FormatInt(n, 10))
			a.clientToken = wire.KeyOf(token)
		}
		r.pendingByToken[a.clientToken] = a
	}
	return strconv.AppendInt(nil, a.id, 10), token
}

// removePending removes and returns the request with our id; nil when it is not open.
func (r *ServerRequests) removePending(id int64) *pendingRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.pending[id]
	if a != nil {
		r.removeLocked(a)
	}
	return a
}

// removePendingOf removes and returns the request that the child made under its id.
func (r *ServerRequests) removePendingOf(from Origin, id []byte) *pendingRequest {
	key := wire.KeyOf(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.pending {
		if a.origin == from && wire.KeyOf(a.serverID) == key {
			r.removeLocked(a)
			return a
		}
	}
	return nil
}

// removeAllPendingOf takes nothing more of the child. It removes all its requests and
// returns our ids of them.
func (r *ServerRequests) removeAllPendingOf(from Origin) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exited[from] = true
	var ids []int64
	for id, a := range r.pending {
		if a.origin == from {
			ids = append(ids, id)
			r.removeLocked(a)
		}
	}
	slices.Sort(ids)
	return ids
}

func (r *ServerRequests) findByToken(raw []byte) *pendingRequest {
	if raw == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pendingByToken[wire.KeyOf(raw)]
}

// removeLocked removes a; the lock is held.
func (r *ServerRequests) removeLocked(a *pendingRequest) {
	delete(r.pending, a.id)
	r.pendingCount[a.origin]--
	if a.serverToken != nil {
		delete(r.pendingByToken, a.clientToken)
	}
}

// Bounds of what is kept for a client that never becomes ready.
const (
	maxQueued      = 1024
	maxQueuedBytes = 16 << 20
)

// queuedMessage is one message of a child that came before the client was ready: a
// server may not speak to a client that has not said that it is initialized
// (MCP 2025-11-25, basic/lifecycle#initialization).
type queuedMessage struct {
	message *wire.Message
	from    Origin
}

// queueUntilReady keeps the message, or drops it when there are too many; false when the
// client has become ready.
func (r *ServerRequests) queueUntilReady(m *wire.Message, from Origin) bool {
	r.queueMu.Lock()
	defer r.queueMu.Unlock()
	if r.ready.Load() {
		return false
	}
	if len(r.queued) < maxQueued && r.queuedBytes+len(m.Line) <= maxQueuedBytes {
		r.queuedBytes += len(m.Line)
		r.queued = append(r.queued, queuedMessage{cloneMessage(m), from})
	}
	return true
}

// flushQueued passes on what was held: the client is ready. What children say
// meanwhile waits, so that the order stays.
func (r *ServerRequests) flushQueued() {
	r.queueMu.Lock()
	defer r.queueMu.Unlock()
	for _, h := range r.queued {
		r.handleReady(h.message, h.from)
	}
	r.queued = nil
	r.ready.Store(true)
}

func (r *ServerRequests) hasExited(from Origin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.exited[from]
}
