package sessions

import (
	"sync"

	"mcp-aggregator/modules/wire"
)

// peer is the Peer of one session. It buffers what the session tells until the reconciler
// reads it.
type peer struct {
	requests ServerRequests
	changed  chan struct{} // signals new tools or a failed list

	mu          sync.Mutex
	definitions [][]byte
	fresh       bool // whether definitions have not been fetched
	listError   string
}

func newPeer(p ServerRequests) *peer { return &peer{requests: p, changed: make(chan struct{}, 1)} }

// Tools implements Peer.
func (p *peer) Tools(definitions [][]byte) {
	p.mu.Lock()
	p.definitions, p.fresh, p.listError = definitions, true, ""
	p.mu.Unlock()
	signal(p.changed)
}

// ListFailed implements Peer.
func (p *peer) ListFailed(why string) {
	p.mu.Lock()
	p.listError = why
	p.mu.Unlock()
	signal(p.changed)
}

// HandleServerMessage implements Peer.
func (p *peer) HandleServerMessage(m *wire.Message, from Origin, of Replier) {
	p.requests.HandleServerMessage(m, from, of)
}

// fetchTools returns the tools if they have changed since the last call, and why they are
// not up to date, if they are not.
func (p *peer) fetchTools() (definitions [][]byte, fresh bool, degraded string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	definitions, fresh, degraded = p.definitions, p.fresh, p.listError
	p.definitions, p.fresh = nil, false
	return definitions, fresh, degraded
}
