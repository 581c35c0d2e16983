package upstream

import "sync"

// counter counts what is under way and tells when nothing is.
type counter struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed while n is 0; nil until first used
}

func (c *counter) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n++; c.n == 1 {
		c.idle = make(chan struct{})
	}
}

func (c *counter) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		close(c.idle)
	}
}

// whenIdle returns a channel that is closed once nothing is under way.
func (c *counter) whenIdle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle == nil {
		c.idle = make(chan struct{})
		close(c.idle)
	}
	return c.idle
}
