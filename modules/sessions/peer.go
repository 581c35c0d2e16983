package sessions

import (
	"sync"

	"mcp-aggregator/modules/wire"
)

// peer is the Peer of one session. What it takes, its reconciler fetches.
type peer struct {
	requests ServerRequests
	changed  chan struct{} // there is something to fetch

	mu          sync.Mutex
	definitions [][]byte
	fresh       bool // definitions were not fetched yet
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

// fetchTools returns the tools, once, and what is lacking.
func (p *peer) fetchTools() (definitions [][]byte, fresh bool, lacking string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	definitions, fresh, lacking = p.definitions, p.fresh, p.listError
	p.definitions, p.fresh = nil, false
	return definitions, fresh, lacking
}
