package upstream

import (
	"bytes"
	"slices"
	"strconv"

	"mcp-aggregator/modules/wire"
)

// maxPendingPerServer bounds the requests of one child that the client has not answered.
const maxPendingPerServer = 10_000

// addPending registers a child's request. It returns the id for the client, or nil if the
// child has too many open requests. If an open request has the same progress token, it
// also returns another token for the client; otherwise nil.
func (r *ServerRequests) addPending(m *wire.Message, from Origin) (id, token []byte) {
	p := &pendingRequest{origin: from, serverID: bytes.Clone(m.ID.Of(m.Line))}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pendingCount[from] >= maxPendingPerServer {
		return nil, nil
	}
	r.pendingCount[from]++
	r.lastID++
	p.id = r.lastID
	r.pending[p.id] = p
	if raw := m.Param("_meta", "progressToken").Of(m.Line); raw != nil && string(raw) != "null" {
		p.serverToken, p.clientToken = bytes.Clone(raw), wire.KeyOf(raw)
		for n := p.id; r.pendingByToken[p.clientToken] != nil; n++ {
			token = strconv.AppendQuote(nil, "aggregator-"+strconv.FormatInt(n, 10))
			p.clientToken = wire.KeyOf(token)
		}
		r.pendingByToken[p.clientToken] = p
	}
	return strconv.AppendInt(nil, p.id, 10), token
}

// removePending removes and returns the request with that id towards the client; nil if
// there is none.
func (r *ServerRequests) removePending(id int64) *pendingRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.pending[id]
	if p != nil {
		r.removeLocked(p)
	}
	return p
}

// removePendingOf removes and returns the request of a child with that id of the child's;
// nil if there is none.
func (r *ServerRequests) removePendingOf(from Origin, id []byte) *pendingRequest {
	key := wire.KeyOf(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.pending {
		if p.origin == from && wire.KeyOf(p.serverID) == key {
			r.removeLocked(p)
			return p
		}
	}
	return nil
}

// removeAllPendingOf marks a child as exited and removes its requests. It returns their
// ids towards the client.
func (r *ServerRequests) removeAllPendingOf(from Origin) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exited[from] = true
	var ids []int64
	for id, p := range r.pending {
		if p.origin == from {
			ids = append(ids, id)
			r.removeLocked(p)
		}
	}
	slices.Sort(ids)
	return ids
}

// findByToken returns the request with that progress token towards the client; nil if
// there is none.
func (r *ServerRequests) findByToken(raw []byte) *pendingRequest {
	if raw == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pendingByToken[wire.KeyOf(raw)]
}

// removeLocked removes p; r.mu is held.
func (r *ServerRequests) removeLocked(p *pendingRequest) {
	delete(r.pending, p.id)
	r.pendingCount[p.origin]--
	if p.serverToken != nil {
		delete(r.pendingByToken, p.clientToken)
	}
}

// Bounds of the queue for a client that never becomes ready.
const (
	maxQueued      = 1024
	maxQueuedBytes = 16 << 20
)

// queuedMessage is a message that a child sent before the client was ready. A server must
// not send requests to a client before it has sent notifications/initialized (MCP
// 2025-11-25, basic/lifecycle#initialization).
type queuedMessage struct {
	message *wire.Message
	from    Origin
}

// queueUntilReady queues a message, or drops it if the queue is full. It reports false if
// the client has become ready.
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

// flushQueued forwards the queued messages and marks the client as ready. It holds
// queueMu, so that messages that arrive meanwhile follow in order.
func (r *ServerRequests) flushQueued() {
	r.queueMu.Lock()
	defer r.queueMu.Unlock()
	for _, h := range r.queued {
		r.handleReady(h.message, h.from)
	}
	r.queued = nil
	r.ready.Store(true)
}

// hasExited reports whether the child has exited.
func (r *ServerRequests) hasExited(from Origin) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.exited[from]
}
