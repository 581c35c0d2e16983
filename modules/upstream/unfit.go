package upstream

import (
	"bytes"

	"mcp-aggregator/modules/wire"
)

// garbage answers a line that is no JSON. Its id may be anything, so the answer
// has none (JSON-RPC 2.0, section 5).
func (s *AggregatorServer) garbage(line []byte, problem *wire.Error) {
	if sketch := wire.SketchOf(line); bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && s.relay.refuse(sketch, problem) {
		return
	}
	s.out.fail(wire.Null, problem)
}

// oversized answers a message that was dropped for its size.
func (s *AggregatorServer) oversized(sketch wire.Sketch, problem *wire.Error) {
	switch id := []byte(sketch.ID); {
	case s.relay.refuse(sketch, problem):
	case sketch.Method && wire.IsID(id):
		s.out.fail(id, problem)
	case sketch.Method:
	default:
		s.out.fail(wire.Null, problem)
	}
}

// refuse answers a child's request in the place of the client, whose answer
// cannot be read. It reports whether there was one.
func (r *Relay) refuse(sketch wire.Sketch, problem *wire.Error) bool {
	if sketch.Method || !sketch.Outcome {
		return false
	}
	a := r.asking([]byte(sketch.ID))
	if a == nil {
		return false
	}
	a.origin.Send(wire.AppendErrorLine(nil, a.theirs, problem))
	return true
}
