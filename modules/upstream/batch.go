package upstream

import (
	"bytes"
	"sync"

	"mcp-aggregator/modules/wire"
)

// batchVersion is the only revision of MCP that has batches
// (2025-03-26, basic#batching).
const batchVersion = "2025-03-26"

// batch gathers the answers to one batch (JSON-RPC 2.0, section 6).
type batch struct {
	out *Output

	mu      sync.Mutex
	awaited int // answers, and the end of the reading
	array   []byte
}

// maxBatch is how many bytes of answers a batch may gather. It cannot wait for a
// client that does not read, as single answers do; those that do not fit become
// errors.
const maxBatch = 64 << 20

// batch handles the messages of a batch; what they are answered with leaves as
// one array, once the last answer is there.
func (s *AggregatorServer) batch(line []byte) {
	b := &batch{out: s.out, awaited: 1}
	empty := true
	for span := range wire.Elements(line) {
		empty = false
		s.element(span.Of(line), b)
	}
	if empty {
		s.out.fail(wire.Null, wire.InvalidRequest("the batch is empty"))
		return
	}
	b.forgo()
}

// element handles one message of a batch.
func (s *AggregatorServer) element(line []byte, b *batch) {
	var m wire.Message
	if err := s.scanner.Scan(line, &m); err != nil { // never: the batch was scanned
		return
	}
	if m.Kind == wire.Request || m.Malformed() != nil {
		b.await()
	}
	if m.MethodIs("initialize") && m.Kind == wire.Request {
		b.fail(m.Answerable(), wire.InvalidRequest("initialize must not be part of a batch"))
		return
	}
	s.message(&m, b)
}

func (b *batch) await() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.awaited++
}

// line implements responder.
func (b *batch) line(parts ...[]byte) {
	b.add(parts)
	b.less()
}

func (b *batch) add(parts [][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.array) > 0 && len(b.array)+size(parts) > maxBatch {
		parts = [][]byte{tooLarge(parts)}
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

// fail implements responder.
func (b *batch) fail(id []byte, err *wire.Error) { b.line(wire.AppendErrorLine(nil, id, err)) }

// forgo implements responder.
func (b *batch) forgo() { b.less() }

// less sends the array when nothing more is awaited: nobody else needs it then.
func (b *batch) less() {
	b.mu.Lock()
	b.awaited--
	whole := b.awaited == 0 && len(b.array) > 0
	b.mu.Unlock()
	if whole {
		b.out.line(b.array, []byte("]"))
	}
}

func size(parts [][]byte) (sum int) {
	for _, part := range parts {
		sum += len(part)
	}
	return sum
}

// tooLarge is the error in the place of the answer made of parts.
func tooLarge(parts [][]byte) []byte {
	return wire.AppendErrorLine(nil, []byte(wire.EnvelopeOf(bytes.Join(parts, nil)).ID), tooMuch())
}
