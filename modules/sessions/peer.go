package sessions

import (
	"sync"

	"mcp-aggregator/modules/wire"
)

// peer is the Peer of one session. What it takes, its keeper fetches.
type peer struct {
	passer Passer
	news   chan struct{} // there is something to fetch

	mu          sync.Mutex
	definitions [][]byte
	fresh       bool // definitions were not fetched yet
	lacking     string
}

func newPeer(p Passer) *peer { return &peer{passer: p, news: make(chan struct{}, 1)} }

// Tools implements Peer.
func (p *peer) Tools(definitions [][]byte) {
	p.mu.Lock()
	p.definitions, p.fresh, p.lacking = definitions, true, ""
	p.mu.Unlock()
	signal(p.news)
}

// Lacking implements Peer.
func (p *peer) Lacking(why string) {
	p.mu.Lock()
	p.lacking = why
	p.mu.Unlock()
	signal(p.news)
}

// Pass implements Peer.
func (p *peer) Pass(m *wire.Message, from Origin, of Replier) { p.passer.Pass(m, from, of) }

// fetch returns the tools, once, and what is lacking.
func (p *peer) fetch() (definitions [][]byte, fresh bool, lacking string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	definitions, fresh, lacking = p.definitions, p.fresh, p.lacking
	p.definitions, p.fresh = nil, false
	return definitions, fresh, lacking
}
