package child

import (
	"maps"
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// Replier receives the one outcome of a request to a child.
type Replier interface {
	// Reply takes the child's response; it is valid only during the call.
	Reply(response *wire.Message)
	// Fail takes an error of ours instead: the child will not answer.
	Fail(err *wire.Error)
}

// calls are the requests a child has not answered, by our id.
type calls struct {
	mu      sync.Mutex
	next    int64
	waiting map[int64]Replier
	ended   *wire.Error // what to answer once the child is gone
}

// add files r and returns the id to ask under, or the answer when the child is
// gone.
func (c *calls) add(r Replier) (int64, *wire.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return 0, c.ended
	}
	if c.waiting == nil {
		c.waiting = make(map[int64]Replier)
	}
	c.next++
	c.waiting[c.next] = r
	return c.next, nil
}

// take removes and returns the request with that id. Whoever takes it answers
// it; nobody else can.
func (c *calls) take(id int64) (Replier, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.waiting[id]
	delete(c.waiting, id)
	return r, ok
}

// end answers every request still waiting, and every later one, with err.
func (c *calls) end(err *wire.Error) {
	c.mu.Lock()
	left := c.waiting
	c.waiting, c.ended = nil, err
	c.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(left)) {
		left[id].Fail(err)
	}
}

// over reports whether end was called.
func (c *calls) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended != nil
}
