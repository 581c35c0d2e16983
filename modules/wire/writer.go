package wire

import (
	"io"
	"sync"
)

// directSize is the part size, in bytes, from which copying costs more than a
// write of its own.
const directSize = 32 << 10

// Writer writes whole lines to one stream for many goroutines. Lines gather in
// a buffer until Flush or until the buffer is full. When the peer stops
// reading, writers block: that is the back-pressure.
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

// WriteLine appends one line made of parts and its newline. The parts are done
// with when it returns. After a first error every call returns that error.
func (w *Writer) WriteLine(parts ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, part := range parts {
		w.appendPart(part)
	}
	w.appendPart(newline)
	return w.err
}

// Flush writes out what has gathered.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushLocked()
	return w.err
}

// NeedsFlush reports whether lines wait for a Flush. One who is just writing will
// flush, too: then it says no.
func (w *Writer) NeedsFlush() bool {
	if !w.mu.TryLock() {
		return false
	}
	defer w.mu.Unlock()
	return len(w.buf) > 0
}

// Err is the error that closed Broken; nil until then.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Broken is closed when a write has failed: the peer is gone.
func (w *Writer) Broken() <-chan struct{} { return w.broken }

var newline = []byte{'\n'}

func (w *Writer) appendPart(part []byte) {
	if len(part) >= directSize { // what came before goes out with its beginning
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
