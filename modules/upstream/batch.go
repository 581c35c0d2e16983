package upstream

import (
	"bytes"
	"sync"

	"mcp-aggregator/modules/wire"
)

// batchVersion is the only revision of MCP that has batches
// (2025-03-26, basic#batching).
const batchVersion = "2025-03-26"

// batchResponse gathers the answers to one batch (JSON-RPC 2.0, section 6).
type batchResponse struct {
	out *Output

	mu      sync.Mutex
	pending int // answers, and the end of the reading
	array   []byte
}

// maxBatchBytes is how many bytes of answers a batch may gather. It cannot wait for a
// client that does not read, as single answers do; those that do not fit become
// errors.
const maxBatchBytes = 64 << 20

// handleBatch handles the messages of a batch; what they are answered with leaves as
// one array, once the last answer is there.
func (s *AggregatorServer) handleBatch(line []byte) {
	b := &batchResponse{out: s.out, pending: 1}
	empty := true
	for span := range wire.Elements(line) {
		empty = false
		s.handleBatchElement(span.Of(line), b)
	}
	if empty {
		s.out.writeError(wire.Null, wire.InvalidRequest("the batch is empty"))
		return
	}
	b.skipResponse()
}

// handleBatchElement handles one message of a batch.
func (s *AggregatorServer) handleBatchElement(line []byte, b *batchResponse) {
	var m wire.Message
	if err := s.scanner.Scan(line, &m); err != nil { // never: the batch was scanned
		return
	}
	if m.Kind == wire.Request || m.Malformed() != nil {
		b.expectResponse()
	}
	if m.MethodIs("initialize") && m.Kind == wire.Request {
		b.writeError(m.Answerable(), wire.InvalidRequest("initialize must not be part of a batch"))
		return
	}
	s.handleMessage(&m, b)
}

func (b *batchResponse) expectResponse() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending++
}

// writeLine implements responder.
func (b *batchResponse) writeLine(parts ...[]byte) {
	b.appendResponse(parts)
	b.responseDone()
}

func (b *batchResponse) appendResponse(parts [][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.array) > 0 && len(b.array)+totalSize(parts) > maxBatchBytes {
		parts = [][]byte{tooLargeResponse(parts)}
	}
	separator := byte(',')
	if len(b.array) == 0 {
		separator = '['
	}
	b.array = append(b.array, separator)
	for _, part := range parts {
		b.array = append(b.array, part...)
	}
}

// writeError implements responder.
func (b *batchResponse) writeError(id []byte, err *wire.Error) {
	b.writeLine(wire.AppendErrorLine(nil, id, err))
}

// skipResponse implements responder.
func (b *batchResponse) skipResponse() { b.responseDone() }

// responseDone sends the array when nothing more is awaited: nobody else needs it then.
func (b *batchResponse) responseDone() {
	b.mu.Lock()
	b.pending--
	whole := b.pending == 0 && len(b.array) > 0
	b.mu.Unlock()
	if whole {
		b.out.writeLine(b.array, []byte("]"))
	}
}

func totalSize(parts [][]byte) (sum int) {
	for _, part := range parts {
		sum += len(part)
	}
	return sum
}

// tooLargeResponse is the error in the place of the answer made of parts.
func tooLargeResponse(parts [][]byte) []byte {
	return wire.AppendErrorLine(nil, []byte(wire.EnvelopeOf(bytes.Join(parts, nil)).ID), batchTooLargeError())
}
