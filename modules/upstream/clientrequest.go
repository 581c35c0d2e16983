package upstream

import (
	"bytes"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// responder is where the answers to requests go: to the client line by line, or
// into the answer to a batch.
type responder interface {
	line(parts ...[]byte)
	fail(id []byte, err *wire.Error)
	// forgo tells that one of the answers will not come.
	forgo()
}

// clientRequest is one request of the client.
type clientRequest struct {
	to    responder
	late  responder // for an answer to what was cancelled
	open  *counter
	id    []byte   // raw JSON, as the client wrote it
	room  [24]byte // for most ids
	state atomic.Int32
}

// The states of a pending request; it leaves waiting once.
const (
	waiting int32 = iota
	cancelled
	answered
)

func (s *AggregatorServer) accept(m *wire.Message, to responder) *clientRequest {
	s.open.add()
	p := &clientRequest{to: to, late: s.out, open: &s.open}
	p.id = append(p.room[:0], m.ID.Of(m.Line)...)
	return p
}

// Reply implements Replier: only the id changes. A child may answer a call that
// was cancelled; the answer passes.
func (p *clientRequest) Reply(response *wire.Message) {
	line, id := response.Line, response.ID
	if !p.answer(line[:id.Start], p.id, line[id.End:]) {
		p.late.line(line[:id.Start], p.id, line[id.End:])
	}
}

// Fail implements Replier. A cancelled call gets no answer of ours.
func (p *clientRequest) Fail(err *wire.Error) { p.answer(wire.AppendErrorLine(nil, p.id, err)) }

// answer gives the answer made of parts, unless the request was cancelled.
func (p *clientRequest) answer(parts ...[]byte) bool {
	if !p.state.CompareAndSwap(waiting, answered) {
		return false
	}
	p.to.line(parts...)
	p.open.done()
	return true
}

// cancel cancels the request if it has that id, however it is spelled, and is
// still waiting. It writes nothing, so that locks may be held; whoever has
// cancelled calls withdraw without them.
func (p *clientRequest) cancel(raw []byte, id wire.Key) bool {
	same := bytes.Equal(p.id, raw) || bytes.ContainsAny(p.id, `\.eE`) && wire.KeyOf(p.id) == id ||
		bytes.ContainsAny(raw, `\.eE`) && wire.KeyOf(p.id) == id
	return same && p.state.CompareAndSwap(waiting, cancelled)
}

// withdraw ends a request that was cancelled.
func (p *clientRequest) withdraw() {
	p.to.forgo()
	p.open.done()
}

// counter counts what is under way and tells when nothing is, once someone asks.
type counter struct {
	n     atomic.Int64
	asked atomic.Pointer[idle]
}

type idle struct {
	once  sync.Once
	there chan struct{}
}

func (i *idle) reached() { i.once.Do(func() { close(i.there) }) }

func (c *counter) add() { c.n.Add(1) }

func (c *counter) done() {
	if c.n.Add(-1) == 0 {
		if i := c.asked.Load(); i != nil {
			i.reached()
		}
	}
}

// whenIdle returns a channel that is closed once nothing is under way. It is
// asked when nothing more begins.
func (c *counter) whenIdle() <-chan struct{} {
	i := &idle{there: make(chan struct{})}
	c.asked.Store(i)
	if c.n.Load() == 0 {
		i.reached()
	}
	return i.there
}
