package upstream

import (
	"bytes"

	"mcp-aggregator/modules/wire"
)

// invalidJSON answers a line that is no JSON. Its id may be anything, so the answer
// has none (JSON-RPC 2.0, section 5).
func (s *AggregatorServer) invalidJSON(line []byte, problem *wire.Error) {
	if envelope := wire.EnvelopeOf(line); bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) && s.requests.refuse(envelope, problem) {
		return
	}
	s.out.fail(wire.Null, problem)
}

// oversized answers a message that was dropped for its size.
func (s *AggregatorServer) oversized(envelope wire.Envelope, problem *wire.Error) {
	switch id := []byte(envelope.ID); {
	case s.requests.refuse(envelope, problem):
	case envelope.Method && wire.IsID(id):
		s.out.fail(id, problem)
	case envelope.Method:
	default:
		s.out.fail(wire.Null, problem)
	}
}

// refuse answers a child's request in the place of the client, whose answer
// cannot be read. It reports whether there was one.
func (r *ServerRequests) refuse(envelope wire.Envelope, problem *wire.Error) bool {
	if envelope.Method || !envelope.Outcome {
		return false
	}
	a := r.asking([]byte(envelope.ID))
	if a == nil {
		return false
	}
	a.origin.Send(wire.AppendErrorLine(nil, a.theirs, problem))
	return true
}
