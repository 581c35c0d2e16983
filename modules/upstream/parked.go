package upstream

import (
	"bytes"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// parkCall keeps the call until the child with that key has settled, behind the
// calls that wait for it already.
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

// forwardParkedCalls passes on the calls parked for a child, one after the other.
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
		if note != nil { // cancelled, perhaps just after it was passed on
			s.caller.Cancel(note, func(r Replier) bool { return r == call.request })
		}
		s.parkedCount.decrement()
	}
	s.out.Flush()
}

// forwardParkedCall passes a call on. Another child that could have its tool may still be
// initializing: then it waits for that one, too.
func (s *AggregatorServer) forwardParkedCall(call *parkedCall) {
	for {
		entry, key := s.resolveTool([]byte(call.name))
		switch {
		case call.request.state.Load() == requestCancelled:
			return
		case entry != nil:
			s.caller.Call(key, call.message, entry.RawName, call.request)
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

// parkedCalls are the calls that wait for a child to settle, in the order of
// the client, by that child's key.
type parkedCalls struct {
	count  atomic.Int32 // so that calls need no lock while nothing is parked
	mu     sync.Mutex
	queues map[string][]*parkedCall
	bytes  map[string]int // bytes parked, by key
}

// maxParkedBytes bounds what is parked for one child, in bytes, as its queue is
// bounded when it is ready.
const maxParkedBytes = 64 << 20

type parkedCall struct {
	request      *clientRequest
	message      *wire.Message
	name         string
	cancellation *wire.Message // its cancellation, if it was cancelled meanwhile
}

// enqueue files the call behind those of the child with that key. It reports
// whether it is the first, which somebody has to lead on; it is refused when too
// much is parked already.
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

// hasQueued reports whether calls to the child with that key are parked.
func (c *parkedCalls) hasQueued(key string) bool {
	if c.count.Load() == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queues[key]) > 0
}

// front returns the call that waits longest for the child with that key.
func (c *parkedCalls) front(key string) *parkedCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queues[key][0]
}

// dequeue takes the first call out, which is done with. It returns its
// cancellation, if there was one, and whether others are behind it.
func (c *parkedCalls) dequeue(key string) (note *wire.Message, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lane := c.queues[key]
	c.queues[key] = lane[1:]
	c.bytes[key] -= len(lane[0].message.Line)
	c.count.Add(-1)
	return lane[0].cancellation, len(lane) > 1
}

// cancelQueued keeps note for the child of the call that matches.
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
