package simple

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// console is a standard error that never blocks its writers. Messages that nobody
// reads are dropped and counted.
type console struct {
	dst io.Writer

	mu      sync.Mutex
	pending bytes.Buffer
	lost    int // messages
	closed  bool
	wake    chan struct{}
	done    chan struct{}
}

const (
	maxPending   = 1 << 20     // bytes of a console
	flushTimeout = time.Second // for a slow reader to take the rest
)

func newConsole(dst io.Writer) *console {
	c := &console{dst: dst, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go c.run() // close joins it, unless dst blocks
	return c
}

// Write implements io.Writer. It never fails, because there is nobody to report that to.
func (c *console) Write(message []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.pending.Len(); n > 0 && n+len(message) > maxPending {
		c.lost++
	} else {
		c.noteLost()
		c.pending.Write(message)
	}
	c.signal()
	return len(message), nil
}

// noteLost writes how many messages are missing at this point; c.mu is held.
func (c *console) noteLost() {
	if c.lost > 0 {
		fmt.Fprintf(&c.pending, program+": %d messages lost: nobody read standard error\n", c.lost)
		c.lost = 0
	}
}

func (c *console) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *console) run() {
	defer close(c.done)
	for range c.wake {
		for {
			text, closed := c.takePending()
			if len(text) == 0 {
				if closed {
					return
				}
				break
			}
			_, _ = c.dst.Write(text) // a full disk or a closed pipe must not stop the program
		}
	}
}

func (c *console) takePending() (text []byte, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending.Len() == 0 {
		c.noteLost()
	}
	text = bytes.Clone(c.pending.Bytes())
	c.pending.Reset()
	return text, c.closed
}

// close writes the pending messages, unless nobody reads them in time.
func (c *console) close() {
	c.mu.Lock()
	c.closed = true
	c.signal()
	c.mu.Unlock()
	select {
	case <-c.done:
	case <-time.After(flushTimeout):
	}
}
