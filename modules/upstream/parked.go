package upstream

import (
	"bytes"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// parkCall queues a call until the child with that key has settled.
func (s *AggregatorServer) parkCall(call *parkedCall, key string) {
	s.parkedCount.increment()
	first, refused := s.parkedCalls.enqueue(key, call)
	if refused {
		call.request.Fail(notReadyError(key))
		s.parkedCount.decrement()
	}
	if first {
		s.work.Go(func() { s.forwardParkedCalls(key) })
	}
}

// forwardParkedCalls forwards the calls that are queued for a child, in order, once it
// has settled.
func (s *AggregatorServer) forwardParkedCalls(key string) {
	settled := s.waitUnlessStopped(s.servers.Settled(key))
	for more := true; more; {
		call := s.parkedCalls.front(key)
		if settled {
			s.forwardParkedCall(call)
		} else {
			call.request.Fail(stoppingError())
		}
		var note *wire.Message
		note, more = s.parkedCalls.dequeue(key)
		s.flusher.Flush()
		if note != nil { // the call may have been forwarded just before it was cancelled
			s.caller.Cancel(note, func(r Replier) bool { return r == call.request })
		}
		s.parkedCount.decrement()
	}
	s.out.Flush()
}

// forwardParkedCall forwards one call. If its name could now belong to another child that
// is still initializing, it waits for that child, too.
func (s *AggregatorServer) forwardParkedCall(call *parkedCall) {
	for {
		entry, key := s.resolveTool([]byte(call.name))
		switch {
		case call.request.state.Load() == requestCancelled:
			return
		case entry != nil:
			s.caller.Call(key, call.message, entry.RawName, call.request.editedFor(call.request.edits, entry))
			return
		case key == "":
			call.request.Fail(s.unknownToolError(call.name))
			return
		case !s.waitUnlessStopped(s.servers.Settled(key)):
			call.request.Fail(stoppingError())
			return
		}
	}
}

// parkedCalls are the calls that wait for a child to settle: a queue for each child's
// key, in the order of the client.
type parkedCalls struct {
	count  atomic.Int32 // of all calls, so that hasQueued needs no lock if there are none
	mu     sync.Mutex
	queues map[string][]*parkedCall
	bytes  map[string]int // by key
}

// maxParkedBytes bounds the queue of one child, like the queue that a running child has.
const maxParkedBytes = 64 << 20

type parkedCall struct {
	request      *clientRequest
	message      *wire.Message
	name         string
	cancellation *wire.Message // the client's notifications/cancelled; nil if there was none
}

// enqueue adds a call to the queue of a child. It reports whether the call is the first
// one, for which the caller must start forwardParkedCalls, or is refused because the
// queue is full.
func (c *parkedCalls) enqueue(key string, call *parkedCall) (first, refused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queues == nil {
		c.queues, c.bytes = make(map[string][]*parkedCall), make(map[string]int)
	}
	if c.bytes[key] >= maxParkedBytes {
		return false, true
	}
	c.bytes[key] += len(call.message.Line)
	c.queues[key] = append(c.queues[key], call)
	c.count.Add(1)
	return len(c.queues[key]) == 1, false
}

// hasQueued reports whether calls wait for the child with that key.
func (c *parkedCalls) hasQueued(key string) bool {
	if c.count.Load() == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queues[key]) > 0
}

// front returns the first call in the queue, which must not be empty.
func (c *parkedCalls) front(key string) *parkedCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queues[key][0]
}

// dequeue removes the first call. It returns the call's cancellation, if any, and whether
// more calls are queued.
func (c *parkedCalls) dequeue(key string) (note *wire.Message, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lane := c.queues[key]
	c.queues[key] = lane[1:]
	c.bytes[key] -= len(lane[0].message.Line)
	c.count.Add(-1)
	return lane[0].cancellation, len(lane) > 1
}

// cancelQueued attaches a cancellation to the queued call that matches. It reports
// whether there is one.
func (c *parkedCalls) cancelQueued(note *wire.Message, match func(Replier) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lane := range c.queues {
		for _, call := range lane {
			if match(call.request) {
				call.cancellation = cloneMessage(note)
				return true
			}
		}
	}
	return false
}

func cloneMessage(m *wire.Message) *wire.Message {
	kept := *m
	kept.Line = bytes.Clone(m.Line)
	return &kept
}
