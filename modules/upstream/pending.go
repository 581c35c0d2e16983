package upstream

import (
	"bytes"
	"sync"

	"mcp-aggregator/modules/wire"
)

// pending is one request of the client that has not been answered.
type pending struct {
	out  *Output
	open *counter
	id   []byte // raw JSON, as the client wrote it
}

func (s *AggregatorServer) accept(m *wire.Message) *pending {
	s.open.add()
	return &pending{out: s.out, open: &s.open, id: bytes.Clone(m.ID.Of(m.Line))}
}

// Reply implements Replier: only the id changes.
func (p *pending) Reply(response *wire.Message) {
	line, id := response.Line, response.ID
	p.out.line(line[:id.Start], p.id, line[id.End:])
	p.open.done()
}

// Fail implements Replier.
func (p *pending) Fail(err *wire.Error) {
	p.out.fail(p.id, err)
	p.open.done()
}

// counter counts what is under way and tells when nothing is.
type counter struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed while n is 0; nil until first used
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n++; c.n == 1 {
		c.idle = make(chan struct{})
	}
}

func (c *counter) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		close(c.idle)
	}
}

// whenIdle returns a channel that is closed once nothing is under way.
func (c *counter) whenIdle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == 0 {
		return closed
	}
	return c.idle
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()
