package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"mcp-aggregator/modules/wire"
)

// initialize begins a session: the SDK makes it. It is told the version only, for its
// types would refuse what they do not know of the rest.
func (g *Gateway) initialize(w http.ResponseWriter, r *http.Request, m *wire.Message) {
	id := m.Answerable()
	if problem := m.Malformed(); problem != nil {
		refuse(w, id, problem)
		return
	}
	asked, ok := wire.Unquote(m.Param("protocolVersion").Of(m.Line))
	if !ok {
		refuse(w, id, wire.InvalidParams("initialize: protocolVersion must be a string"))
		return
	}
	if !g.admit() {
		writeJSON(w, http.StatusServiceUnavailable, failure(id, wire.InternalError(
			fmt.Sprintf("no further session: the service is stopping, or has %d already; end some", g.options.MaxSessions))))
		return
	}
	defer g.admitted()
	params := wire.AppendQuoted([]byte(`{"capabilities":{},"clientInfo":{"name":"","version":""},"protocolVersion":`), asked)
	response := g.askSDK(r, wire.AppendRequest(nil, ours, "initialize", append(params, '}')))
	var answer wire.Message
	if err := new(wire.Scanner).Scan(response.Body.Bytes(), &answer); err != nil || answer.Kind != wire.Response {
		copyTo(w, response)
		return
	}
	g.register(response.Header().Get(sessionHeader), &answer, m)
	copyHeader(w, response)
	w.WriteHeader(response.Code)
	_, _ = w.Write(answer.WithID(id)) // a client that has gone needs no answer
}

// admit takes a place for a session; admitted gives it back, once the session is filed.
// If there is none left, the session that nobody has used for longest has to go.
func (g *Gateway) admit() bool {
	if idle := g.idlest(); idle != nil {
		g.forget(idle)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped || len(g.sessions)+g.coming >= g.options.MaxSessions {
		return false
	}
	g.coming++
	return true
}

// idlest is the session that nobody has used for longest; nil if there are places left,
// or all are in use.
func (g *Gateway) idlest() (idlest *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.sessions)+g.coming < g.options.MaxSessions {
		return nil
	}
	longest := time.Duration(0)
	for _, s := range g.sessions {
		if idle := s.idleFor(); idle > longest {
			idlest, longest = s, idle
		}
	}
	return idlest
}

func (g *Gateway) admitted() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.coming--
}

// register files the session that the SDK has made.
func (g *Gateway) register(id string, answer, initialize *wire.Message) {
	result := answer.Result.Of(answer.Line)
	version, ok := wire.Unquote(wire.Member(result, "protocolVersion").Of(result))
	if id == "" || !ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.stopped {
		g.sessions[id] = newSession(id, version, initialize)
	}
}

// session returns the session of a request; nil if there is none.
func (g *Gateway) session(r *http.Request) *session {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[id]
}

// remove ends a session on the client's request.
func (g *Gateway) remove(w http.ResponseWriter, r *http.Request) {
	s := g.session(r)
	if s == nil {
		g.handler.ServeHTTP(w, r) // the SDK says what is wrong
		return
	}
	g.forget(s)
	w.WriteHeader(http.StatusNoContent)
}

// forget ends a session, ours and the SDK's.
func (g *Gateway) forget(s *session) {
	g.mu.Lock()
	delete(g.sessions, s.id)
	g.mu.Unlock()
	s.end()
	request := &http.Request{Method: http.MethodDelete, Header: http.Header{sessionHeader: {s.id}}}
	g.handler.ServeHTTP(httptest.NewRecorder(), request)
}

// expire ends the sessions that nobody uses.
func (g *Gateway) expire() {
	ticker := time.NewTicker(g.options.IdleTime / 10)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			g.expireIdle()
		case <-g.stop:
			return
		}
	}
}

func (g *Gateway) expireIdle() {
	g.mu.Lock()
	var idle []*session
	for _, s := range g.sessions {
		if s.idleFor() > g.options.IdleTime {
			idle = append(idle, s)
		}
	}
	g.mu.Unlock()
	for _, s := range idle {
		g.forget(s)
	}
}

func (g *Gateway) endSessions() {
	g.mu.Lock()
	left := g.sessions
	g.sessions, g.stopped = make(map[string]*session), true
	g.mu.Unlock()
	for _, s := range left {
		s.end()
	}
	for s := range g.sdk.Sessions() {
		_ = s.Close() // it is gone either way
	}
}
