package child

import (
	"bytes"
	"sync"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/wire"
)

// pendingCalls are the requests that a child has not answered, by our ids.
type pendingCalls struct {
	mcpclient.Pending[Replier]

	mu       sync.Mutex
	canceled []int64 // requests that may yet be answered, oldest first
}

// maxCanceled bounds the canceled requests whose response is still expected; a
// child need not answer them (MCP 2025-11-25, basic/utilities/cancellation).
const maxCanceled = 1024

// cancel returns the id of a request that matches. The request stays pending, because its
// response may still come, or have come since.
func (c *pendingCalls) cancel(match func(Replier) bool) (int64, bool) {
	for id, r := range c.Snapshot() {
		if match(r) {
			c.keepCanceled(id)
			return id, true
		}
	}
	return 0, false
}

// keepCanceled keeps a canceled request pending, at the expense of the oldest one.
func (c *pendingCalls) keepCanceled(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.canceled = append(c.canceled, id); len(c.canceled) > maxCanceled {
		c.Remove(c.canceled[0])
		c.canceled = c.canceled[1:]
	}
}

// close fails every pending request, and every later one, with err.
func (c *pendingCalls) close(err *wire.Error) {
	for _, r := range c.Close(err) {
		r.Fail(err)
	}
}

// Bounds of the notifications kept for a child that is not initialized.
const (
	maxNotifications     = 1024
	maxNotificationBytes = 16 << 20
)

// pendingNotifications are the client's notifications to a child that has not been
// initialized yet, or not even spawned.
type pendingNotifications struct {
	mu    sync.Mutex
	write func(parts ...[]byte) // nil until the child is initialized
	lines [][]byte
	size  int // bytes of them
}

// send sends a notification of the client, once the child is initialized. One goroutine
// calls it.
func (n *pendingNotifications) send(line []byte) {
	if write := n.keep(line); write != nil {
		write(line)
	}
}

// keep keeps the line, unless it can be written.
func (n *pendingNotifications) keep(line []byte) (write func(parts ...[]byte)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.write == nil && len(n.lines) < maxNotifications && n.size+len(line) <= maxNotificationBytes {
		n.lines = append(n.lines, bytes.Clone(line))
		n.size += len(line)
	}
	return n.write
}

// release writes the notifications kept so far; later ones are written at once.
func (n *pendingNotifications) release(write func(parts ...[]byte)) {
	for lines := n.next(write); len(lines) > 0; lines = n.next(write) {
		for _, line := range lines {
			write(line)
		}
	}
}

// next returns the lines to be written first. When there are none, later notifications
// are written at once.
func (n *pendingNotifications) next(write func(parts ...[]byte)) (lines [][]byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if lines, n.lines, n.size = n.lines, nil, 0; len(lines) == 0 {
		n.write = write
	}
	return lines
}
