package upstream

import (
	"bytes"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// park keeps the call until the child with that key has settled, behind the
// calls that wait for it already.
func (s *AggregatorServer) park(call *parkedCall, key string) {
	s.parked.add()
	first, refused := s.parkedCalls.add(key, call)
	if refused {
		call.pending.Fail(notReady(key))
		s.parked.done()
	}
	if first {
		s.work.Go(func() { s.lead(key) })
	}
}

// lead passes on the calls parked for a child, one after the other.
func (s *AggregatorServer) lead(key string) {
	settled := s.await(s.servers.Settled(key))
	for more := true; more; {
		call := s.parkedCalls.first(key)
		if settled {
			s.unpark(call)
		} else {
			call.pending.Fail(stopping())
		}
		var note *wire.Message
		note, more = s.parkedCalls.remove(key)
		s.flusher.Flush()
		if note != nil { // cancelled, perhaps just after it was passed on
			s.caller.Cancel(note, func(r Replier) bool { return r == call.pending })
		}
		s.parked.done()
	}
	s.out.Flush()
}

// unpark passes a call on. Another child that could have its tool may still be
// initializing: then it waits for that one, too.
func (s *AggregatorServer) unpark(call *parkedCall) {
	for {
		entry, key := s.owner([]byte(call.name))
		switch {
		case call.pending.state.Load() == cancelled:
			return
		case entry != nil:
			s.caller.Call(key, call.message, entry.RawName, call.pending)
			return
		case key == "":
			call.pending.Fail(s.refusal(call.name))
			return
		case !s.await(s.servers.Settled(key)):
			call.pending.Fail(stopping())
			return
		}
	}
}

// parkedCalls are the calls that wait for a child to settle, in the order of
// the client, by that child's key.
type parkedCalls struct {
	count atomic.Int32 // so that calls need no lock while nothing is parked
	mu    sync.Mutex
	lanes map[string][]*parkedCall
	sizes map[string]int // bytes parked, by key
}

// maxParked bounds what is parked for one child, in bytes, as its queue is
// bounded when it is ready.
const maxParked = 64 << 20

type parkedCall struct {
	pending *clientRequest
	message *wire.Message
	name    string
	note    *wire.Message // its cancellation, if it was cancelled meanwhile
}

// add files the call behind those of the child with that key. It reports
// whether it is the first, which somebody has to lead on; it is refused when too
// much is parked already.
func (c *parkedCalls) add(key string, call *parkedCall) (first, refused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lanes == nil {
		c.lanes, c.sizes = make(map[string][]*parkedCall), make(map[string]int)
	}
	if c.sizes[key] >= maxParked {
		return false, true
	}
	c.sizes[key] += len(call.message.Line)
	c.lanes[key] = append(c.lanes[key], call)
	c.count.Add(1)
	return len(c.lanes[key]) == 1, false
}

// behind reports whether calls to the child with that key are parked.
func (c *parkedCalls) behind(key string) bool {
	if c.count.Load() == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lanes[key]) > 0
}

// first returns the call that waits longest for the child with that key.
func (c *parkedCalls) first(key string) *parkedCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lanes[key][0]
}

// remove takes the first call out, which is done with. It returns its
// cancellation, if there was one, and whether others are behind it.
func (c *parkedCalls) remove(key string) (note *wire.Message, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	lane := c.lanes[key]
	c.lanes[key] = lane[1:]
	c.sizes[key] -= len(lane[0].message.Line)
	c.count.Add(-1)
	return lane[0].note, len(lane) > 1
}

// cancel keeps note for the child of the call that matches.
func (c *parkedCalls) cancel(note *wire.Message, match func(Replier) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, lane := range c.lanes {
		for _, call := range lane {
			if match(call.pending) {
				call.note = clone(note)
				return true
			}
		}
	}
	return false
}

func clone(m *wire.Message) *wire.Message {
	kept := *m
	kept.Line = bytes.Clone(m.Line)
	return &kept
}
