package upstream

import (
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// callTool passes tools/call to the child whose tool it names. A name of a
// child that is still initializing waits for that child.
func (s *AggregatorServer) callTool(m *wire.Message, to responder) {
	name, problem := m.ToolName()
	if problem != nil {
		to.fail(m.ID.Of(m.Line), problem)
		return
	}
	entry, key := s.owner(name)
	switch {
	case entry != nil && !s.parkedCalls.behind(key):
		s.caller.Call(key, m, entry.Tool, s.accept(m, to))
	case key != "":
		s.park(&parkedCall{pending: s.accept(m, to), message: clone(m), name: string(name)}, key)
	default:
		to.fail(m.ID.Of(m.Line), s.refusal(string(name)))
	}
}

// owner returns the tool with that name and the key of its child; only the key
// of a child that is still initializing and could come to have it; nothing when
// there is none. A child may settle between the two looks.
func (s *AggregatorServer) owner(name []byte) (entry *registry.Entry, key string) {
	if entry, ok := s.view().Lookup(name); ok {
		return entry, entry.Server
	}
	for _, server := range s.servers.Statuses() {
		if !server.Settled && s.naming.MayOwn(server.Key, string(name)) {
			return nil, server.Key
		}
	}
	if entry, ok := s.view().Lookup(name); ok {
		return entry, entry.Server
	}
	return nil, ""
}

// view is the list of all tools as the client sees them.
func (s *AggregatorServer) view() *registry.View { return s.tools.Snapshot().View(s.naming) }

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
			s.caller.Call(key, call.message, entry.Tool, call.pending)
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

// refusal says why no tool has that name.
func (s *AggregatorServer) refusal(name string) *wire.Error {
	nearest := s.view().Nearest(name)
	if !s.naming.Prefixed(name) {
		return wire.InvalidParams("Tool name must be prefixed with server key: " + name + registry.Hint(nearest, false))
	}
	noServer := true
	for _, server := range s.servers.Statuses() {
		if !s.naming.MayOwn(server.Key, name) {
			continue
		}
		if server.Reason != "" {
			return toolNotFound(name, "", &server)
		}
		noServer = false
	}
	return toolNotFound(name, registry.Hint(nearest, noServer), nil)
}
