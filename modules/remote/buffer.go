package remote

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// readBudget is the memory that the large messages that all sessions are reading may take
// together.
type readBudget struct {
	left      atomic.Int64 // bytes
	receivers sync.Pool    // with small buffers, which are not counted
}

func newReadBudget(size int) *readBudget {
	b := new(readBudget)
	b.left.Store(int64(size))
	return b
}

// reserve reserves n bytes; it reports false if fewer are left.
func (b *readBudget) reserve(n int) bool {
	if b.left.Add(-int64(n)) >= 0 {
		return true
	}
	b.release(n)
	return false
}

func (b *readBudget) release(n int) { b.left.Add(int64(n)) }

const (
	firstSize = 4 << 10  // of a buffer
	smallSize = 64 << 10 // up to this size it is kept for the next message, and not counted
)

// buffer holds one message while it arrives. It grows with what has arrived, never with
// what was announced.
type buffer struct {
	budget   *readBudget
	limit    int    // bytes of a message
	bytes    []byte // what has arrived while there was room
	overflow string // why there was no more room
}

// Write implements [io.Writer]. It never fails.
func (b *buffer) Write(p []byte) (int, error) {
	rest := p
	for len(rest) > 0 && b.makeRoom() {
		n := copy(b.bytes[len(b.bytes):min(cap(b.bytes), b.limit)], rest)
		b.bytes, rest = b.bytes[:len(b.bytes)+n], rest[n:]
	}
	return len(p), nil
}

// ReadFrom implements [io.ReaderFrom]. It stops when there is no more room.
func (b *buffer) ReadFrom(src io.Reader) (read int64, err error) {
	for {
		if len(b.bytes) == b.limit {
			return read, b.expectEnd(src)
		}
		if !b.makeRoom() {
			return read, nil
		}
		n, err := src.Read(b.bytes[len(b.bytes):min(cap(b.bytes), b.limit)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		read += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			return read, nil
		case err != nil:
			return read, err
		}
	}
}

// expectEnd reads the end of a message whose size is the limit.
func (b *buffer) expectEnd(src io.Reader) error {
	_, err := io.ReadFull(src, make([]byte, 1))
	if errors.Is(err, io.EOF) {
		return nil
	}
	b.makeRoom()
	return err
}

// makeRoom makes room for at least one more byte; it reports false if there is none.
func (b *buffer) makeRoom() bool {
	switch held := cap(b.bytes); {
	case b.overflow != "":
		return false
	case len(b.bytes) >= b.limit:
		b.overflow = fmt.Sprintf("a message is longer than %d bytes", b.limit)
		return false
	case len(b.bytes) < held:
		return true
	default:
		return b.growTo(max(firstSize, 2*held))
	}
}

// growTo moves the message to a larger buffer.
func (b *buffer) growTo(size int) bool {
	size = min(size, max(b.limit, firstSize))
	if size > smallSize && !b.budget.reserve(size) {
		b.overflow = "the messages that all servers are sending take too much memory"
		return false
	}
	old := b.bytes
	b.bytes = append(make([]byte, 0, size), old...)
	b.releaseBudget(cap(old))
	return true
}

func (b *buffer) releaseBudget(size int) {
	if size > smallSize {
		b.budget.release(size)
		wire.ReleaseMemory(size)
	}
}

// resetBuffer drops the message. A small buffer is kept for the next one.
func (b *buffer) resetBuffer() {
	size := cap(b.bytes)
	b.bytes, b.overflow = b.bytes[:0], ""
	if size > smallSize {
		b.bytes = nil
		b.releaseBudget(size)
	}
}
