package gateway

import (
	"strconv"

	"mcp-aggregator/modules/wire"
)

// callClient is the router.Client of one call.
type callClient struct {
	session  *session
	out      responder
	finished bool // takes no more requests; guarded by session.mu
}

// SessionID implements router.Client.
func (c *callClient) SessionID() string { return c.session.id }

// Notify implements router.Client.
func (c *callClient) Notify(line []byte) { c.out.sendEvent(line) }

// ForwardRequest implements router.Client.
func (c *callClient) ForwardRequest(request *wire.Message, answer func(response *wire.Message)) (withdraw func(note *wire.Message)) {
	return c.session.forwardServerRequest(c, request, answer)
}

// pendingRequests are the requests of servers that the client has not answered.
type pendingRequests struct {
	next int
	open map[wire.Key]*pendingRequest // by the id towards the client
}

// pendingRequest is a server's request that the client has not answered.
type pendingRequest struct {
	call   *callClient
	answer func(response *wire.Message)
}

// supports reports whether the client has the capability that a server's request needs.
func (c capabilities) supports(m *wire.Message) bool {
	return c.elicitation && m.MethodIs("elicitation/create") || c.sampling && m.MethodIs("sampling/createMessage")
}

// forwardServerRequest sends a server's request on the stream of the call that it belongs
// to. See [router.Client].
func (s *session) forwardServerRequest(call *callClient, m *wire.Message, answer func(response *wire.Message)) (withdraw func(note *wire.Message)) {
	if !s.capabilities.supports(m) {
		return nil
	}
	id, ok := s.addPending(&pendingRequest{call: call, answer: answer})
	if !ok || !call.out.sendEvent(m.WithID(id)) && s.removePending(id) != nil {
		return nil
	}
	return func(note *wire.Message) {
		if s.removePending(id) != nil {
			call.out.sendEvent(wire.Splice(note.Line, note.Param("requestId"), id))
		}
	}
}

// addPending registers a request and returns its id towards the client, raw JSON.
func (s *session) addPending(p *pendingRequest) (id []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || p.call.finished {
		return nil, false
	}
	if s.pending.open == nil {
		s.pending.open = make(map[wire.Key]*pendingRequest)
	}
	s.pending.next++
	id = strconv.AppendInt(nil, int64(s.pending.next), 10)
	s.pending.open[wire.KeyOf(id)] = p
	return id, true
}

// removePending removes and returns the request with that id; nil if there is none.
func (s *session) removePending(id []byte) *pendingRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := wire.KeyOf(id)
	p := s.pending.open[key]
	delete(s.pending.open, key)
	return p
}

// handleResponse passes the client's response on to the server. It drops responses that
// answer no open request.
func (s *session) handleResponse(m *wire.Message) {
	if m.Duplicate != "" {
		return
	}
	if p := s.removePending(m.ID.Of(m.Line)); p != nil {
		p.answer(m)
	}
}

// endPending ends the open requests of a call that is over, or all if call is nil.
func (s *session) endPending(call *callClient) {
	s.mu.Lock()
	if call != nil {
		call.finished = true
	}
	var ended []*pendingRequest
	for id, p := range s.pending.open {
		if call == nil || p.call == call {
			ended = append(ended, p)
			delete(s.pending.open, id)
		}
	}
	s.mu.Unlock()
	for _, p := range ended {
		p.answer(nil)
	}
}
