package child

import (
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

const (
	// batchSize is how much of small lines is written at once, in bytes: what a
	// pipe has room for. A larger line has a buffer of its own.
	batchSize = 64 << 10
	// batchRoom is the largest buffer that such lines get when it grows.
	batchRoom = batchSize + batchSize/4
	// keptBatches is how many buffers of small lines a queue keeps to itself: one is
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

// The buffers that are kept for all queues: one queue needs several only now and
// then, and there can be many queues.
//
//nolint:gochecknoglobals // see above
var smallBuffers, largeBuffers sync.Pool // of *[]byte

// add queues the line made of parts.
func (q *lineQueue) add(parts [][]byte) {
	size := 1
	for _, p := range parts {
		size += len(p)
	}
	buf := q.room(size)
	for _, p := range parts {
		*buf = append(*buf, p...)
	}
	*buf = append(*buf, '\n')
	q.size += size
}

// room returns the buffer that a line of that size belongs in.
func (q *lineQueue) room(size int) *[]byte {
	last := len(q.buffers) - 1
	if last >= 0 && len(q.buffers[last])+size <= batchSize {
		return &q.buffers[last]
	}
	buf := q.spare(size)
	q.buffers = append(q.buffers, buf)
	return &q.buffers[last+1]
}

// spare returns an empty buffer for a line of that size, and for more when it is
// small and lines pile up.
func (q *lineQueue) spare(size int) (buf []byte) {
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

func share(pool *sync.Pool, buf []byte) { pool.Put(&buf) }

// take removes the first buffer.
func (q *lineQueue) take() []byte {
	buf := q.buffers[0]
	q.buffers = slices.Delete(q.buffers, 0, 1)
	q.size -= len(buf)
	return buf
}

// recycle is given a buffer that was written.
func (q *lineQueue) recycle(buf []byte) {
	buf = buf[:0]
	switch size := cap(buf); {
	case size <= batchRoom && len(q.small) < keptBatches:
		q.small = append(q.small, buf)
	case size <= batchRoom:
		share(&smallBuffers, buf)
	case size <= keptLine:
		share(&largeBuffers, buf)
	default:
		wire.ReleaseMemory(size)
	}
}
