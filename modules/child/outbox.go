package child

import (
	"errors"
	"io"
	"sync"

	"mcp-aggregator/modules/wire"
)

var (
	errQueueFull    = errors.New("queue for standard input is full")
	errOutboxClosed = errors.New("standard input is closed")
)

// TryWriter is a standard input that can take what there is room for and leave
// the rest: it never blocks.
type TryWriter interface {
	TryWrite(p []byte) (n int, err error)
}

// outbox queues lines for a child's standard input, so that a child that stops
// reading blocks nobody. Whoever flushes writes what the pipe has room for; run
// writes the rest.
type outbox struct {
	dst   io.WriteCloser
	try   TryWriter // dst, if it can; otherwise run writes everything
	limit int       // bytes that may wait

	mu      sync.Mutex
	lines   lineQueue
	batch   []byte // what is being written
	left    bool   // a flush could not write batch[written:]
	written int
	closed  bool
	wake    chan struct{}
	broken  chan struct{} // closed when dst takes nothing any more
}

func newOutbox(dst io.WriteCloser, limit int) *outbox {
	o := &outbox{dst: dst, limit: limit, wake: make(chan struct{}, 1), broken: make(chan struct{})}
	o.try, _ = dst.(TryWriter)
	return o
}

// send queues one line made of parts and a newline, for the next flush. Any line
// is taken while less than the limit waits, so that a large one is not refused
// for a small one that happens to be under way.
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

// flush sees to it that what is queued is written. It does not block.
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

// tryWrite writes what there is room for; the lock is held, but not while it
// writes.
func (o *outbox) tryWrite() {
	o.batch = o.lines.take()
	o.mu.Unlock()
	n, _ := o.try.TryWrite(o.batch) // run will meet the error, too
	o.mu.Lock()
	o.written = n
	o.left = n < len(o.batch)
	if !o.left {
		o.done()
	}
	if o.left || o.closed {
		o.signal()
	}
}

// done ends a batch; the lock is held.
func (o *outbox) done() {
	o.lines.recycle(o.batch)
	o.batch, o.written, o.left = nil, 0, false
}

// close lets run write what is queued and then close the child's standard
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
			o.done()
			o.mu.Unlock()
		}
	}
}

// next returns what run has to write: nothing while a flush is under way, which
// signals if it has to. It is over when that was all.
func (o *outbox) next() (rest []byte, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.left:
		o.left = false
	case len(o.batch) > 0:
		return nil, false
	case o.lines.size > 0:
		o.batch = o.lines.take()
	default:
		return nil, o.closed
	}
	return o.batch[o.written:], false
}

func (o *outbox) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	waited := o.lines.size + len(o.batch)
	o.closed, o.lines, o.batch, o.written = true, lineQueue{}, nil, 0
	close(o.broken)
	wire.ReleaseMemory(waited)
}
