package remote

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// memory is what the large messages that all sessions are reading may take together.
type memory struct {
	left      atomic.Int64 // bytes
	receivers sync.Pool    // with small buffers, which are not counted
}

func newMemory(size int) *memory {
	m := new(memory)
	m.left.Store(int64(size))
	return m
}

// take takes n bytes; it reports false if there are not so many left.
func (m *memory) take(n int) bool {
	if m.left.Add(-int64(n)) >= 0 {
		return true
	}
	m.giveBack(n)
	return false
}

func (m *memory) giveBack(n int) { m.left.Add(int64(n)) }

const (
	firstSize = 4 << 10  // of a buffer
	smallSize = 64 << 10 // up to here it is kept for the next message, and not counted
)

// buffer holds one message while it arrives. It grows with what has come, never with
// what was announced.
type buffer struct {
	memory *memory
	limit  int    // bytes of a message
	bytes  []byte // what has come; what came when there was no room is gone
	excess string // why there was none
}

// Write implements [io.Writer]; it always succeeds.
func (b *buffer) Write(p []byte) (int, error) {
	rest := p
	for len(rest) > 0 && b.grow() {
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
		if !b.grow() {
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

// expectEnd looks for the end of a message that has just the size of the limit.
func (b *buffer) expectEnd(src io.Reader) error {
	_, err := io.ReadFull(src, make([]byte, 1))
	if errors.Is(err, io.EOF) {
		return nil
	}
	b.grow()
	return err
}

// grow makes room for at least one more byte; it reports false if there is none.
func (b *buffer) grow() bool {
	switch held := cap(b.bytes); {
	case b.excess != "":
		return false
	case len(b.bytes) >= b.limit:
		b.excess = fmt.Sprintf("a message is longer than %d bytes", b.limit)
		return false
	case len(b.bytes) < held:
		return true
	default:
		return b.move(max(firstSize, 2*held))
	}
}

// move moves the message to a larger buffer.
func (b *buffer) move(size int) bool {
	size = min(size, max(b.limit, firstSize))
	if size > smallSize && !b.memory.take(size) {
		b.excess = "the messages that all servers are sending take too much memory"
		return false
	}
	old := b.bytes
	b.bytes = append(make([]byte, 0, size), old...)
	b.release(cap(old))
	return true
}

func (b *buffer) release(size int) {
	if size > smallSize {
		b.memory.giveBack(size)
		wire.ReleaseMemory(size)
	}
}

// reset forgets the message. Little is kept for the next one.
func (b *buffer) reset() {
	size := cap(b.bytes)
	b.bytes, b.excess = b.bytes[:0], ""
	if size > smallSize {
		b.bytes = nil
		b.release(size)
	}
}
