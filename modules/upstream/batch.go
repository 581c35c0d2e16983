package upstream

import (
	"bytes"
	"sync"

	"mcp-aggregator/modules/wire"
)

// batchResponse collects the responses to one batch (JSON-RPC 2.0, section 6).
type batchResponse struct {
	out *Output

	mu      sync.Mutex
	pending int // responses to come, plus one while the batch is read
	array   []byte
}

// maxBatchBytes bounds the responses that a batch collects, which, unlike single
// responses, cannot wait for a client that does not read. A response that does not fit
// becomes an error.
const maxBatchBytes = 64 << 20

// handleBatch handles the messages of a batch. The responses are written as one array
// when the last one is complete.
func (s *AggregatorServer) handleBatch(line []byte) {
	b := &batchResponse{out: s.out, pending: 1}
	empty := true
	for span := range wire.Elements(line) {
		empty = false
		s.handleBatchElement(span.Of(line), b)
	}
	if empty {
		s.out.writeError(wire.NullID, wire.InvalidRequest("the batch is empty"))
		return
	}
	b.skipResponse()
}

// handleBatchElement handles one message of a batch.
func (s *AggregatorServer) handleBatchElement(line []byte, b *batchResponse) {
	var m wire.Message
	if err := s.scanner.Scan(line, &m); err != nil { // impossible: the batch was scanned
		return
	}
	if m.Kind == wire.Request || m.Malformed() != nil {
		b.expectResponse()
	}
	if m.MethodIs("initialize") && m.Kind == wire.Request {
		b.writeError(m.ResponseID(), wire.InvalidRequest("initialize must not be part of a batch"))
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

// responseDone counts one response down and writes the array after the last one.
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

// tooLargeResponse returns the error that replaces a response made of parts.
func tooLargeResponse(parts [][]byte) []byte {
	return wire.AppendErrorLine(nil, []byte(wire.EnvelopeOf(bytes.Join(parts, nil)).ID), batchTooLargeError())
}
