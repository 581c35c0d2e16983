package upstream

import (
	"bytes"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// pending is one request of the client.
type pending struct {
	out   *Output
	open  *counter
	id    []byte // raw JSON, as the client wrote it
	state atomic.Int32
}

// The states of a pending request; it leaves waiting once.
const (
	waiting int32 = iota
	cancelled
	answered
)

func (s *AggregatorServer) accept(m *wire.Message) *pending {
	s.open.add()
	return &pending{out: s.out, open: &s.open, id: bytes.Clone(m.ID.Of(m.Line))}
}

// Reply implements Replier: only the id changes. A child may answer a call that
// was cancelled; the answer passes.
func (p *pending) Reply(response *wire.Message) {
	line, id := response.Line, response.ID
	p.out.line(line[:id.Start], p.id, line[id.End:])
	p.leave(answered)
}

// Fail implements Replier. A cancelled call gets no answer of ours.
func (p *pending) Fail(err *wire.Error) {
	if p.state.Load() == waiting {
		p.out.fail(p.id, err)
	}
	p.leave(answered)
}

// withdraw cancels the request if it has that id, however it is spelled, and is
// still waiting.
func (p *pending) withdraw(raw []byte, id wire.Key) bool {
	same := bytes.Equal(p.id, raw) || bytes.ContainsAny(p.id, `\.eE`) && wire.KeyOf(p.id) == id ||
		bytes.ContainsAny(raw, `\.eE`) && wire.KeyOf(p.id) == id
	return same && p.leave(cancelled)
}

func (p *pending) leave(to int32) bool {
	if !p.state.CompareAndSwap(waiting, to) {
		return false
	}
	p.open.done()
	return true
}
