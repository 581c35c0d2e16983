package wire

import (
	"io"
	"sync"
)

// directSize is the size, in bytes, from which copying a part costs more than a
// separate write.
const directSize = 32 << 10

// Writer writes whole lines to one stream for many goroutines. Lines are buffered until
// Flush or until the buffer is full. If the peer stops reading, writers block: that is
// the back-pressure.
type Writer struct {
	mu     sync.Mutex
	dst    io.Writer
	buf    []byte
	err    error
	broken chan struct{}
}

// NewWriter returns a Writer to dst.
func NewWriter(dst io.Writer) *Writer {
	return &Writer{dst: dst, buf: make([]byte, 0, 2*directSize), broken: make(chan struct{})}
}

// WriteLine writes the parts and a newline as one line. It does not retain the parts.
// After a first error every call returns that error.
func (w *Writer) WriteLine(parts ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, part := range parts {
		w.appendPart(part)
	}
	w.appendPart(newline)
	return w.err
}

// Flush writes the buffered lines to the stream.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushLocked()
	return w.err
}

// NeedsFlush reports whether lines are waiting for a Flush. It reports false while
// another goroutine writes, because that one will flush.
func (w *Writer) NeedsFlush() bool {
	if !w.mu.TryLock() {
		return false
	}
	defer w.mu.Unlock()
	return len(w.buf) > 0
}

// Err returns the error that closed Broken, nil until then.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Broken returns a channel that is closed when a write has failed: the peer is gone.
func (w *Writer) Broken() <-chan struct{} { return w.broken }

var newline = []byte{'\n'}

func (w *Writer) appendPart(part []byte) {
	if len(part) >= directSize { // fill the buffer first, so that one write has both
		n := min(cap(w.buf)-len(w.buf), len(part))
		w.buf = append(w.buf, part[:n]...)
		part = part[n:]
		w.flushLocked()
		if len(part) >= directSize {
			w.writeLocked(part)
			return
		}
	}
	if len(w.buf)+len(part) > cap(w.buf) {
		w.flushLocked()
	}
	w.buf = append(w.buf, part...)
}

func (w *Writer) flushLocked() {
	if len(w.buf) > 0 {
		w.writeLocked(w.buf)
		w.buf = w.buf[:0]
	}
}

func (w *Writer) writeLocked(b []byte) {
	if w.err != nil {
		return
	}
	if _, err := w.dst.Write(b); err != nil {
		w.err = err
		close(w.broken)
	}
}
