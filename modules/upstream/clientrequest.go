package upstream

import (
	"bytes"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// responder takes the response to a request: the client's stream, or the response to a
// batch.
type responder interface {
	writeLine(parts ...[]byte)
	writeError(id []byte, err *wire.Error)
	// skipResponse is called if there will be no response.
	skipResponse()
}

// clientRequest is one request of the client. It implements Replier.
type clientRequest struct {
	responder responder
	output    responder // for a late response to a cancelled request
	inFlight  *inFlightCounter
	edits     *lean.Forward // of the response; nil: there are none
	id        []byte        // raw JSON, as the client wrote it
	idBuffer  [24]byte      // holds most ids, so that they need no allocation
	state     atomic.Int32
}

// The states of a clientRequest. It leaves requestWaiting once.
const (
	requestWaiting int32 = iota
	requestCancelled
	requestAnswered
)

// acceptRequest registers a request of the client.
func (s *AggregatorServer) acceptRequest(m *wire.Message, to responder) *clientRequest {
	s.inFlight.increment()
	r := &clientRequest{responder: to, output: s.out, inFlight: &s.inFlight}
	r.id = append(r.idBuffer[:0], m.ID.Of(m.Line)...)
	return r
}

// editedFor has the response edited for a call of that tool, if there are edits.
func (r *clientRequest) editedFor(edits *lean.Forward, entry *registry.Entry) *clientRequest {
	if r.edits = edits; edits != nil && edits.Tool.Definition == nil {
		edits.Tool = lean.Tool{Name: edits.Name, Definition: entry.Definition}
	}
	return r
}

// Reply implements Replier. Of the response, only the id changes, but for the edits of the
// lean mode. A response to a cancelled call is forwarded, too: the child may send one.
func (r *clientRequest) Reply(response *wire.Message) {
	line, id := response.Line, response.ID
	if edits := r.responseEdits(response); len(edits) > 0 {
		line = wire.Replace(line, append(edits, wire.Edit{Span: id, With: r.id})...)
		if !r.respond(line) {
			r.output.writeLine(line)
		}
		return
	}
	if !r.respond(line[:id.Start], r.id, line[id.End:]) {
		r.output.writeLine(line[:id.Start], r.id, line[id.End:])
	}
}

func (r *clientRequest) responseEdits(response *wire.Message) []wire.Edit {
	if r.edits == nil {
		return nil
	}
	return r.edits.Edits(response)
}

// Fail implements Replier. A cancelled call gets no error.
func (r *clientRequest) Fail(err *wire.Error) { r.respond(wire.AppendErrorLine(nil, r.id, err)) }

// respond writes the response made of parts. It reports false if the request was
// cancelled.
func (r *clientRequest) respond(parts ...[]byte) bool {
	if !r.state.CompareAndSwap(requestWaiting, requestAnswered) {
		return false
	}
	r.responder.writeLine(parts...)
	r.inFlight.decrement()
	return true
}

// cancelIfMatching cancels the request if it is waiting and has that id, in any spelling.
// The caller may hold locks: nothing is written. It calls finishCancelled after releasing
// them.
func (r *clientRequest) cancelIfMatching(raw []byte, id wire.Key) bool {
	same := bytes.Equal(r.id, raw) || bytes.ContainsAny(r.id, `\.eE`) && wire.KeyOf(r.id) == id ||
		bytes.ContainsAny(raw, `\.eE`) && wire.KeyOf(r.id) == id
	return same && r.state.CompareAndSwap(requestWaiting, requestCancelled)
}

// finishCancelled ends a cancelled request.
func (r *clientRequest) finishCancelled() {
	r.responder.skipResponse()
	r.inFlight.decrement()
}

// inFlightCounter counts open requests and signals when there are none.
type inFlightCounter struct {
	n      atomic.Int64
	waiter atomic.Pointer[idleSignal]
}

// idleSignal is a channel that may be closed more than once.
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

// idle returns a channel that is closed once the count is zero. It is called when the
// count can no longer increase from zero.
func (c *inFlightCounter) idle() <-chan struct{} {
	i := &idleSignal{closed: make(chan struct{})}
	c.waiter.Store(i)
	if c.n.Load() == 0 {
		i.closeOnce()
	}
	return i.closed
}
