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
	late    []int64     // cancelled requests that may yet be answered, oldest first
	ended   *wire.Error // what to answer once the child is gone
}

// maxLate bounds the cancelled requests whose answer is still waited for; a
// child need not answer them (MCP 2025-11-25, basic/utilities/cancellation).
const maxLate = 1024

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

// cancel returns the id of a request that matches. Its answer may still come, or
// have come since.
func (c *calls) cancel(match func(Replier) bool) (int64, bool) {
	for id, r := range c.open() {
		if match(r) {
			c.expectLate(id)
			return id, true
		}
	}
	return 0, false
}

// open returns the requests that wait now, so that callers need no lock.
func (c *calls) open() map[int64]Replier {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.waiting)
}

// expectLate files a cancelled request.
func (c *calls) expectLate(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late = append(c.late, id); len(c.late) > maxLate {
		delete(c.waiting, c.late[0])
		c.late = c.late[1:]
	}
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
