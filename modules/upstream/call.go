package upstream

import (
	"bytes"
	"strings"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// callTool passes tools/call to the child whose tool it names. A name of a
// child that is still initializing waits for that child.
func (s *AggregatorServer) callTool(m *wire.Message) {
	name, problem := toolName(m)
	if problem != nil {
		s.out.fail(m.ID.Of(m.Line), problem)
		return
	}
	if entry, ok := s.tools.Snapshot().Lookup(name); ok {
		s.forward(entry, m)
		return
	}
	if owners := s.unsettledOwners(string(name)); len(owners) > 0 {
		s.park(m, string(name), owners)
		return
	}
	if entry, ok := s.tools.Snapshot().Lookup(name); ok { // its child has settled since the first look
		s.forward(entry, m)
		return
	}
	s.out.fail(m.ID.Of(m.Line), s.refusal(string(name)))
}

// toolName returns params.name, unescaped.
func toolName(m *wire.Message) ([]byte, *wire.Error) {
	params := m.Params.Of(m.Line)
	if len(params) == 0 || params[0] != '{' {
		return nil, invalidParams("tools/call: params must be an object")
	}
	raw := m.Name.Of(m.Line)
	if len(raw) < 2 || raw[0] != '"' {
		return nil, invalidParams("tools/call: name must be a string")
	}
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		text, _ := wire.Unquote(raw)
		name = []byte(text)
	}
	if len(name) == 0 {
		return nil, invalidParams("tools/call: name must not be empty")
	}
	return name, nil
}

func (s *AggregatorServer) forward(entry *registry.Entry, m *wire.Message) {
	s.caller.Call(entry.Server, m, entry.Tool, s.accept(m))
}

// unsettledOwners returns the keys of the initializing children whose tool
// could have that name.
func (s *AggregatorServer) unsettledOwners(name string) []string {
	var keys []string
	for _, server := range s.servers.Statuses() {
		if !server.Settled && s.owns(server.Key, name) {
			keys = append(keys, server.Key)
		}
	}
	return keys
}

func (s *AggregatorServer) owns(key, name string) bool {
	return strings.HasPrefix(name, key+string(s.options.Separator))
}

// park keeps the call until its children have settled and looks again.
func (s *AggregatorServer) park(m *wire.Message, name string, owners []string) {
	p, call := s.accept(m), clone(m)
	s.parkedCalls.add(p)
	s.parked.add()
	s.work.Go(func() {
		defer s.out.Flush()
		defer s.parked.done()
		for _, key := range owners {
			if !s.await(s.servers.Settled(key)) {
				p.Fail(stopping())
				return
			}
		}
		s.unpark(p, call, name)
	})
}

func (s *AggregatorServer) unpark(p *pending, call *wire.Message, name string) {
	entry, ok := s.tools.Snapshot().Lookup([]byte(name))
	switch {
	case p.state.Load() == cancelled:
	case ok:
		s.caller.Call(entry.Server, call, entry.Tool, p)
	default:
		p.Fail(s.refusal(name))
	}
	if note := s.parkedCalls.remove(p); note != nil { // cancelled, perhaps just after it was passed on
		s.caller.Cancel(note, func(r Replier) bool { return r == p })
	}
}

// refusal says why no tool has that name.
func (s *AggregatorServer) refusal(name string) *wire.Error {
	if !strings.Contains(name, string(s.options.Separator)) {
		return invalidParams("Tool name must be prefixed with server key: " + name)
	}
	for _, server := range s.servers.Statuses() {
		if server.Reason != "" && s.owns(server.Key, name) {
			return toolNotFound(name, &server)
		}
	}
	return toolNotFound(name, nil)
}
