package app

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"
)

// console is standard error that never keeps a writer waiting: what nobody
// reads is dropped, and counted.
type console struct {
	dst io.Writer

	mu      sync.Mutex
	waiting bytes.Buffer
	lost    int // messages
	closed  bool
	wake    chan struct{}
	done    chan struct{}
}

const (
	maxWaiting = 1 << 20     // bytes of a console
	lastWords  = time.Second // for a reader that is slow to take what is left
)

func newConsole(dst io.Writer) *console {
	c := &console{dst: dst, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go c.run() // close joins it, unless dst blocks
	return c
}

// Write implements io.Writer. It never fails: there is nobody left to tell.
func (c *console) Write(message []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if waiting := c.waiting.Len(); waiting > 0 && waiting+len(message) > maxWaiting {
		c.lost++
	} else {
		c.noteLost()
		c.waiting.Write(message)
	}
	c.signal()
	return len(message), nil
}

// noteLost says what is missing here; the lock is held.
func (c *console) noteLost() {
	if c.lost > 0 {
		fmt.Fprintf(&c.waiting, "mcp-simple-aggregator: %d messages lost: nobody read standard error\n", c.lost)
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
			text, closed := c.take()
			if len(text) == 0 {
				if closed {
					return
				}
				break
			}
			_, _ = c.dst.Write(text) // a full disk, or a reader that has gone, stops nothing
		}
	}
}

func (c *console) take() (text []byte, closed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting.Len() == 0 {
		c.noteLost()
	}
	text = bytes.Clone(c.waiting.Bytes())
	c.waiting.Reset()
	return text, c.closed
}

// close writes what is left, unless nobody reads.
func (c *console) close() {
	c.mu.Lock()
	c.closed = true
	c.signal()
	c.mu.Unlock()
	select {
	case <-c.done:
	case <-time.After(lastWords):
	}
}

// attended runs command with a console for standard error, and with the signals
// caught that would end the program behind its back.
func attended(o Options, command func(Options) int) int {
	if deaf := deafSignals(); len(deaf) > 0 {
		signal.Notify(make(chan os.Signal, 1), deaf...)
	}
	reserveThreads()
	c := newConsole(o.Stderr)
	defer c.close()
	o.Stderr = c
	return command(o)
}
