package gateway

import (
	"strconv"

	"mcp-aggregator/modules/wire"
)

// client is the router.Client of one call.
type client struct {
	session *session
	out     responder
	over    bool // nothing is asked any more; guarded by session.mu
}

// Session implements router.Client.
func (c *client) Session() string { return c.session.id }

// Notify implements router.Client.
func (c *client) Notify(line []byte) { c.out.event(line) }

// Ask implements router.Client.
func (c *client) Ask(request *wire.Message, answer func(response *wire.Message)) (withdraw func(note *wire.Message)) {
	return c.session.ask(c, request, answer)
}

// pendingRequests are the requests of servers that the client has not answered.
type pendingRequests struct {
	next int
	open map[wire.Key]*pendingRequest // by our ids
}

type pendingRequest struct {
	of     *client
	answer func(response *wire.Message)
}

// supports reports whether the client can be asked that.
func (a capabilities) supports(m *wire.Message) bool {
	return a.elicitation && m.MethodIs("elicitation/create") || a.sampling && m.MethodIs("sampling/createMessage")
}

// ask has the client asked, on the stream of the call that it is about.
func (s *session) ask(of *client, m *wire.Message, answer func(response *wire.Message)) (withdraw func(note *wire.Message)) {
	if !s.capabilities.supports(m) {
		return nil
	}
	id, ok := s.file(&pendingRequest{of: of, answer: answer})
	if !ok || !of.out.event(m.WithID(id)) && s.unfile(id) != nil {
		return nil
	}
	return func(note *wire.Message) {
		if s.unfile(id) != nil {
			of.out.event(wire.Splice(note.Line, note.Param("requestId"), id))
		}
	}
}

// file registers a request and returns the raw JSON id that the client sees.
func (s *session) file(a *pendingRequest) (id []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || a.of.over {
		return nil, false
	}
	if s.pending.open == nil {
		s.pending.open = make(map[wire.Key]*pendingRequest)
	}
	s.pending.next++
	id = strconv.AppendInt(nil, int64(s.pending.next), 10)
	s.pending.open[wire.KeyOf(id)] = a
	return id, true
}

// unfile returns a request that is not answered, once.
func (s *session) unfile(id []byte) *pendingRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := wire.KeyOf(id)
	a := s.pending.open[key]
	delete(s.pending.open, key)
	return a
}

// answered takes the client's answer to a request. One that nobody waits for says
// nothing.
func (s *session) answered(m *wire.Message) {
	if m.Duplicate != "" {
		return
	}
	if a := s.unfile(m.ID.Of(m.Line)); a != nil {
		a.answer(m)
	}
}

// settle ends the requests that concern the call of that client, which is over; all,
// if it is nil.
func (s *session) settle(of *client) {
	s.mu.Lock()
	if of != nil {
		of.over = true
	}
	var ended []*pendingRequest
	for id, a := range s.pending.open {
		if of == nil || a.of == of {
			ended = append(ended, a)
			delete(s.pending.open, id)
		}
	}
	s.mu.Unlock()
	for _, a := range ended {
		a.answer(nil)
	}
}
