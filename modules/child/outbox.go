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

// outbox queues lines for a child's standard input, so that a child that stops
// reading blocks nobody.
type outbox struct {
	dst   io.WriteCloser
	limit int // bytes that may wait

	mu      sync.Mutex
	queue   []byte
	writing int // bytes handed to dst and not yet taken by it
	closed  bool
	wake    chan struct{}
	broken  chan struct{} // closed when dst takes nothing any more
}

func newOutbox(dst io.WriteCloser, limit int) *outbox {
	return &outbox{dst: dst, limit: limit, wake: make(chan struct{}, 1), broken: make(chan struct{})}
}

// send queues one line made of parts and a newline. Any line is taken while
// less than the limit waits, so that a large one is not refused for a small one
// that happens to be under way.
func (o *outbox) send(parts ...[]byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return errOutboxClosed
	case len(o.queue)+o.writing >= o.limit:
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
	if size := cap(written); size > keep {
		written = nil
		wire.GiveBack(size)
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
	o.closed, o.queue, o.writing = true, nil, 0
	close(o.broken)
}
