package upstream

import (
	"bytes"
	"sync"

	"mcp-aggregator/modules/wire"
)

// parkedCalls are the calls that wait for their child to settle, with the
// cancellation of those that were cancelled meanwhile.
type parkedCalls struct {
	mu    sync.Mutex
	calls map[*pending]*wire.Message
}

func (c *parkedCalls) add(p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = make(map[*pending]*wire.Message)
	}
	c.calls[p] = nil
}

// remove returns the cancellation of p, if there was one.
func (c *parkedCalls) remove(p *pending) *wire.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	note := c.calls[p]
	delete(c.calls, p)
	return note
}

// cancel withdraws the call that matches and keeps note for its child.
func (c *parkedCalls) cancel(note *wire.Message, match func(Replier) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.calls {
		if match(p) {
			c.calls[p] = clone(note)
			return true
		}
	}
	return false
}

func clone(m *wire.Message) *wire.Message {
	kept := *m
	kept.Line = bytes.Clone(m.Line)
	return &kept
}
