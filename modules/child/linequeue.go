package child

import (
	"slices"

	"mcp-aggregator/modules/wire"
)

const (
	// batchSize is how much of small lines is written at once, in bytes: what a
	// pipe has room for. A larger line has a buffer of its own.
	batchSize = 64 << 10
	// keptBatches is how many buffers of small lines are kept for the next ones.
	keptBatches = 4
	// keptLine is the largest buffer that is kept for the next large line.
	keptLine = 2 << 20
)

// lineQueue holds lines in the buffers that they are written from.
type lineQueue struct {
	buffers [][]byte
	size    int      // bytes in them
	small   [][]byte // for the next buffers of small lines
	large   []byte   // for the next large line
}

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
	case size > cap(q.large) && size > batchSize:
		return make([]byte, 0, size)
	case size > batchSize:
		buf, q.large = q.large, nil
		return buf
	case n > 0:
		buf, q.small = q.small[n-1], q.small[:n-1]
		return buf
	case len(q.buffers) > 0:
		return make([]byte, 0, batchSize)
	default:
		return nil
	}
}

// take removes the first buffer.
func (q *lineQueue) take() []byte {
	buf := q.buffers[0]
	q.buffers = slices.Delete(q.buffers, 0, 1)
	q.size -= len(buf)
	return buf
}

// recycle is given a buffer that was written.
func (q *lineQueue) recycle(buf []byte) {
	switch size := cap(buf); {
	case size <= batchSize:
		if len(q.small) < keptBatches {
			q.small = append(q.small, buf[:0])
		}
	case size <= keptLine:
		q.large = buf[:0]
	default:
		wire.GiveBack(size)
	}
}
