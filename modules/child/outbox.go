package child

import (
	"errors"
	"io"
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

var (
	errQueueFull    = errors.New("queue for standard input is full")
	errOutboxClosed = errors.New("standard input is closed")
)

// TryWriter is a standard input that can be written without blocking.
type TryWriter interface {
	// TryWrite writes as much of p as there is room for.
	TryWrite(p []byte) (n int, err error)
}

// outbox queues lines for a child's standard input, so that a child that stops
// reading blocks no caller. flush writes what the pipe has room for; run writes the
// rest.
type outbox struct {
	dst   io.WriteCloser
	try   TryWriter // dst, if it can; otherwise run writes everything
	limit int       // bytes that may wait

	mu      sync.Mutex
	lines   lineQueue
	batch   []byte // what is being written
	partial bool   // a flush could not write batch[written:]
	written int
	closed  bool
	wake    chan struct{}
	broken  chan struct{} // closed when a write has failed
}

func newOutbox(dst io.WriteCloser, limit int) *outbox {
	o := &outbox{dst: dst, limit: limit, wake: make(chan struct{}, 1), broken: make(chan struct{})}
	o.try, _ = dst.(TryWriter)
	return o
}

// send queues one line made of parts and a newline, for the next flush. A line of any
// size is accepted while less than the limit waits, so that a large one is not refused
// because of a small one that happens to wait.
func (o *outbox) send(parts ...[]byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return errOutboxClosed
	case o.lines.size+len(o.batch)-o.written >= o.limit:
		return errQueueFull
	}
	o.lines.add(parts)
	return nil
}

// flush has the queued lines written. It does not block.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.batch) == 0 && o.lines.size > 0 {
		if o.try == nil {
			o.signal()
			return
		}
		o.tryWrite()
	}
}

// tryWrite writes what there is room for. The lock is held by the caller, and released
// while it writes.
func (o *outbox) tryWrite() {
	o.batch = o.lines.removeFirst()
	o.mu.Unlock()
	n, _ := o.try.TryWrite(o.batch) // run meets the error, too
	o.mu.Lock()
	o.written = n
	o.partial = n < len(o.batch)
	if !o.partial {
		o.finishBatch()
	}
	if o.partial || o.closed {
		o.signal()
	}
}

// finishBatch ends a batch; the lock is held.
func (o *outbox) finishBatch() {
	o.lines.recycle(o.batch)
	o.batch, o.written, o.partial = nil, 0, false
}

// close has run write what is queued and then close the child's standard
// input.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run writes until close, or until the child's standard input breaks.
func (o *outbox) run() {
	defer o.dst.Close()
	for range o.wake {
		for {
			rest, over := o.next()
			if over {
				return
			}
			if len(rest) == 0 {
				break
			}
			if _, err := o.dst.Write(rest); err != nil {
				o.abandon()
				return
			}
			o.mu.Lock()
			o.finishBatch()
			o.mu.Unlock()
		}
	}
}

// next returns what run has to write: nothing while a flush is in progress, which
// signals when something is left. It reports over when nothing will follow.
func (o *outbox) next() (rest []byte, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.partial:
		o.partial = false
	case len(o.batch) > 0:
		return nil, false
	case o.lines.size > 0:
		o.batch = o.lines.removeFirst()
	default:
		return nil, o.closed
	}
	return o.batch[o.written:], false
}

func (o *outbox) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	queued := o.lines.size + len(o.batch)
	o.closed, o.lines, o.batch, o.written = true, lineQueue{}, nil, 0
	close(o.broken)
	wire.ReleaseMemory(queued)
}

const (
	// batchSize is how many bytes of small lines are written at once: as many as a
	// pipe has room for. A larger line has a buffer of its own.
	batchSize = 64 << 10
	// batchRoom is the largest buffer that such lines get when it grows.
	batchRoom = batchSize + batchSize/4
	// keptBatches is how many buffers of small lines a queue keeps for itself: one is
	// written while another fills.
	keptBatches = 2
	// keptLine is the largest buffer that is kept for the next large line.
	keptLine = 2 << 20
)

// lineQueue holds lines in the buffers that they are written from.
type lineQueue struct {
	buffers [][]byte
	size    int      // bytes in them
	small   [][]byte // for the next small lines; more are shared
}

// The buffers that all queues share: one queue needs several only occasionally, and
// there can be many queues.
//
//nolint:gochecknoglobals // see above
var smallBuffers, largeBuffers sync.Pool // of *[]byte

// add queues the line made of parts.
func (q *lineQueue) add(parts [][]byte) {
	size := 1
	for _, p := range parts {
		size += len(p)
	}
	buf := q.bufferFor(size)
	for _, p := range parts {
		*buf = append(*buf, p...)
	}
	*buf = append(*buf, '\n')
	q.size += size
}

// bufferFor returns the buffer that a line of that size belongs in.
func (q *lineQueue) bufferFor(size int) *[]byte {
	last := len(q.buffers) - 1
	if last >= 0 && len(q.buffers[last])+size <= batchSize {
		return &q.buffers[last]
	}
	buf := q.emptyBuffer(size)
	q.buffers = append(q.buffers, buf)
	return &q.buffers[last+1]
}

// emptyBuffer returns an empty buffer for a line of that size, and with room for more
// when the line is small and others are queued.
func (q *lineQueue) emptyBuffer(size int) (buf []byte) {
	switch n := len(q.small); {
	case size > batchSize:
		return pooled(&largeBuffers, size)
	case n > 0:
		buf, q.small = q.small[n-1], q.small[:n-1]
		return buf
	case len(q.buffers) > 0:
		return pooled(&smallBuffers, batchSize)
	default:
		return nil
	}
}

// pooled returns an empty buffer of at least that size.
func pooled(pool *sync.Pool, size int) []byte {
	if kept, ok := pool.Get().(*[]byte); ok && cap(*kept) >= size {
		return *kept
	}
	return make([]byte, 0, size)
}

func putBack(pool *sync.Pool, buf []byte) { pool.Put(&buf) }

// removeFirst removes the first buffer and returns it.
func (q *lineQueue) removeFirst() []byte {
	buf := q.buffers[0]
	q.buffers = slices.Delete(q.buffers, 0, 1)
	q.size -= len(buf)
	return buf
}

// recycle keeps a buffer that was written for other lines.
func (q *lineQueue) recycle(buf []byte) {
	buf = buf[:0]
	switch size := cap(buf); {
	case size <= batchRoom && len(q.small) < keptBatches:
		q.small = append(q.small, buf)
	case size <= batchRoom:
		putBack(&smallBuffers, buf)
	case size <= keptLine:
		putBack(&largeBuffers, buf)
	default:
		wire.ReleaseMemory(size)
	}
}
