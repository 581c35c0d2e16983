package child

import (
	"errors"
	"io"
	"sync"
)

var (
	errQueueFull    = errors.New("queue for standard input is full")
	errOutboxClosed = errors.New("standard input is closed")
)

// outbox queues lines for a child's standard input, so that a child that stops
// reading blocks nobody.
type outbox struct {
	dst   io.WriteCloser
	limit int // bytes

	mu      sync.Mutex
	queue   []byte
	writing int // bytes handed to dst and not yet taken by it
	closed  bool
	wake    chan struct{}
}

func newOutbox(dst io.WriteCloser, limit int) *outbox {
	return &outbox{dst: dst, limit: limit, wake: make(chan struct{}, 1)}
}

// send queues one line made of parts and a newline. A line larger than the
// limit is still taken when nothing else waits.
func (o *outbox) send(parts ...[]byte) error {
	size := 1
	for _, p := range parts {
		size += len(p)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := len(o.queue) + o.writing
	switch {
	case o.closed:
		return errOutboxClosed
	case waiting > 0 && waiting+size > o.limit:
		return errQueueFull
	}
	for _, p := range parts {
		o.queue = append(o.queue, p...)
	}
	o.queue = append(o.queue, '\n')
	o.signal()
	return nil
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
	var batch []byte
	for range o.wake {
		for {
			var closed bool
			batch, closed = o.next(batch)
			if len(batch) == 0 {
				if closed {
					return
				}
				break
			}
			if _, err := o.dst.Write(batch); err != nil {
				o.abandon()
				return
			}
		}
	}
}

// next swaps the queue for the batch that has been written.
func (o *outbox) next(written []byte) (batch []byte, closed bool) {
	const keep = 1 << 20
	if cap(written) > keep {
		written = nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	batch, o.queue = o.queue, written[:0]
	o.writing = len(batch)
	return batch, o.closed
}

func (o *outbox) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.queue = true, nil
}
