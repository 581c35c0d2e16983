package upstream

import (
	"sync"
	"sync/atomic"
)

// counter counts what is under way and tells when nothing is, once someone asks.
type counter struct {
	n     atomic.Int64
	asked atomic.Pointer[idle]
}

type idle struct {
	once  sync.Once
	there chan struct{}
}

func (i *idle) reached() { i.once.Do(func() { close(i.there) }) }

func (c *counter) add() { c.n.Add(1) }

func (c *counter) done() {
	if c.n.Add(-1) == 0 {
		if i := c.asked.Load(); i != nil {
			i.reached()
		}
	}
}

// whenIdle returns a channel that is closed once nothing is under way. It is
// asked when nothing more begins.
func (c *counter) whenIdle() <-chan struct{} {
	i := &idle{there: make(chan struct{})}
	c.asked.Store(i)
	if c.n.Load() == 0 {
		i.reached()
	}
	return i.there
}
