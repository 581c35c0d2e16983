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
	writeLine(parts ...[]byte)
	writeError(id []byte, err *wire.Error)
	// skipResponse tells that one of the answers will not come.
	skipResponse()
}

// clientRequest is one request of the client.
type clientRequest struct {
	responder responder
	output    responder // for an answer to what was cancelled
	inFlight  *inFlightCounter
	id        []byte   // raw JSON, as the client wrote it
	idBuffer  [24]byte // for most ids
	state     atomic.Int32
}

// The states of a pending request; it leaves waiting once.
const (
	requestWaiting int32 = iota
	requestCancelled
	requestAnswered
)

func (s *AggregatorServer) acceptRequest(m *wire.Message, to responder) *clientRequest {
	s.inFlight.increment()
	p := &clientRequest{responder: to, output: s.out, inFlight: &s.inFlight}
	p.id = append(p.idBuffer[:0], m.ID.Of(m.Line)...)
	return p
}

// Reply implements Replier: only the id changes. A child may answer a call that
// was cancelled; the answer passes.
func (p *clientRequest) Reply(response *wire.Message) {
	line, id := response.Line, response.ID
	if !p.respond(line[:id.Start], p.id, line[id.End:]) {
		p.output.writeLine(line[:id.Start], p.id, line[id.End:])
	}
}

// Fail implements Replier. A cancelled call gets no answer of ours.
func (p *clientRequest) Fail(err *wire.Error) { p.respond(wire.AppendErrorLine(nil, p.id, err)) }

// respond gives the answer made of parts, unless the request was cancelled.
func (p *clientRequest) respond(parts ...[]byte) bool {
	if !p.state.CompareAndSwap(requestWaiting, requestAnswered) {
		return false
	}
	p.responder.writeLine(parts...)
	p.inFlight.decrement()
	return true
}

// cancelIfMatching cancels the request if it has that id, however it is spelled, and is
// still waiting. It writes nothing, so that locks may be held; whoever has
// cancelled calls withdraw without them.
func (p *clientRequest) cancelIfMatching(raw []byte, id wire.Key) bool {
	same := bytes.Equal(p.id, raw) || bytes.ContainsAny(p.id, `\.eE`) && wire.KeyOf(p.id) == id ||
		bytes.ContainsAny(raw, `\.eE`) && wire.KeyOf(p.id) == id
	return same && p.state.CompareAndSwap(requestWaiting, requestCancelled)
}

// finishCancelled ends a request that was cancelled.
func (p *clientRequest) finishCancelled() {
	p.responder.skipResponse()
	p.inFlight.decrement()
}

// inFlightCounter counts what is under way and tells when nothing is, once someone asks.
type inFlightCounter struct {
	n      atomic.Int64
	waiter atomic.Pointer[idleSignal]
}

type idleSignal struct {
	once   sync.Once
	closed chan struct{}
}

func (i *idleSignal) closeOnce() { i.once.Do(func() { close(i.closed) }) }

func (c *inFlightCounter) increment() { c.n.Add(1) }

func (c *inFlightCounter) decrement() {
	if c.n.Add(-1) == 0 {
		if i := c.waiter.Load(); i != nil {
			i.closeOnce()
		}
	}
}

// idle returns a channel that is closed once nothing is under way. It is
// asked when nothing more begins.
func (c *inFlightCounter) idle() <-chan struct{} {
	i := &idleSignal{closed: make(chan struct{})}
	c.waiter.Store(i)
	if c.n.Load() == 0 {
		i.closeOnce()
	}
	return i.closed
}
