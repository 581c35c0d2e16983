package gateway

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"time"

	"mcp-aggregator/modules/wire"
)

// handleInitialize lets the SDK create a session. The SDK sees only the version: its
// types reject content of initialize that they do not know.
func (g *Gateway) handleInitialize(w http.ResponseWriter, r *http.Request, m *wire.Message) {
	id := m.ResponseID()
	if problem := m.Malformed(); problem != nil {
		writeBadRequest(w, id, problem)
		return
	}
	version, ok := wire.Unquote(m.Param("protocolVersion").Of(m.Line))
	if !ok {
		writeBadRequest(w, id, wire.InvalidParams("initialize: protocolVersion must be a string"))
		return
	}
	if !g.reserveSession() {
		writeJSON(w, http.StatusServiceUnavailable, errorLine(id, wire.InternalError(
			fmt.Sprintf("no further session: the service is stopping, or has the maximum of %d sessions; end some", g.options.MaxSessions))))
		return
	}
	defer g.releaseReservation()
	params := wire.AppendQuoted([]byte(`{"capabilities":{},"clientInfo":{"name":"","version":""},"protocolVersion":`), version)
	response := g.callSDK(r, wire.AppendRequest(nil, sdkRequestID, "initialize", append(params, '}')))
	var answer wire.Message
	if err := new(wire.Scanner).Scan(response.Body.Bytes(), &answer); err != nil || answer.Kind != wire.Response {
		copyResponse(w, response)
		return
	}
	g.addSession(response.Header().Get(sessionHeader), &answer, m, r)
	copyHeader(w, response)
	w.WriteHeader(response.Code)
	_, _ = w.Write(answer.WithID(id)) // an error means that the client has disconnected
}

// reserveSession reserves a place for a session, until releaseReservation. If there is no
// place left, it ends the session that has been idle for longest. It reports false if
// none is idle.
func (g *Gateway) reserveSession() bool {
	if idle := g.longestIdle(); idle != nil {
		g.endSession(idle)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped || len(g.sessions)+g.reserved >= g.options.MaxSessions {
		return false
	}
	g.reserved++
	return true
}

// longestIdle returns the session that has been idle for longest; nil if there are places
// left, or no session is idle.
func (g *Gateway) longestIdle() (idle *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.sessions)+g.reserved < g.options.MaxSessions {
		return nil
	}
	longest := time.Duration(0)
	for _, s := range g.sessions {
		if d := s.idleFor(); d > longest {
			idle, longest = s, d
		}
	}
	return idle
}

func (g *Gateway) releaseReservation() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.reserved--
}

// addSession adds the session that the SDK has created for the request.
func (g *Gateway) addSession(id string, answer, initialize *wire.Message, r *http.Request) {
	result := answer.Result.Of(answer.Line)
	version, ok := wire.Unquote(wire.Member(result, "protocolVersion").Of(result))
	if id == "" || !ok {
		return
	}
	s := newSession(id, version, initialize, r)
	if list, ok := g.listVersion(s, nil); ok {
		s.listVersion.Store(list)
	}
	g.mu.Lock()
	stopped := g.stopped
	if !stopped {
		g.sessions[id] = s
	}
	g.mu.Unlock()
	if stopped { // the SDK may have created it after the others were ended
		g.endSession(s)
	}
}

// sessionOf returns the session that a request names, if it began at the same endpoint;
// nil if there is none.
func (g *Gateway) sessionOf(r *http.Request) *session {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.sessions[id]; s != nil && s.path == r.URL.Path {
		return s
	}
	return nil
}

// handleDelete ends a session at the client's request.
func (g *Gateway) handleDelete(w http.ResponseWriter, r *http.Request) {
	s := g.sessionOf(r)
	if s == nil {
		g.handler.ServeHTTP(w, r) // the SDK returns the error
		return
	}
	g.endSession(s)
	w.WriteHeader(http.StatusNoContent)
}

// endSession ends a session here and in the SDK.
func (g *Gateway) endSession(s *session) {
	g.mu.Lock()
	delete(g.sessions, s.id)
	g.mu.Unlock()
	s.closeSession()
	request := &http.Request{Method: http.MethodDelete, Header: http.Header{sessionHeader: {s.id}}}
	g.handler.ServeHTTP(httptest.NewRecorder(), request)
}

// expireSessions ends idle sessions, until the gateway stops.
func (g *Gateway) expireSessions() {
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
		g.endSession(s)
	}
}

// endAllSessions ends all sessions and admits no new ones.
func (g *Gateway) endAllSessions() {
	g.mu.Lock()
	left := g.sessions
	g.sessions, g.stopped = make(map[string]*session), true
	g.mu.Unlock()
	for _, s := range left {
		s.closeSession()
	}
	for s := range g.sdk.Sessions() {
		_ = s.Close() // an error leaves nothing to do
	}
}

// sdkRequestID is the id of all requests to the SDK, which rounds large ids.
var sdkRequestID = []byte("1")

// notifySDK passes a notification on to the SDK.
func (g *Gateway) notifySDK(r *http.Request, m *wire.Message) { g.callSDK(r, m.Line) }

// callSDK lets the SDK handle a body with the headers of r and returns its response.
func (g *Gateway) callSDK(r *http.Request, body []byte) *httptest.ResponseRecorder {
	request := r.Clone(r.Context())
	request.Body = http.NoBody
	response := httptest.NewRecorder()
	g.passToSDK(response, request, bytes.Clone(body))
	return response
}

func copyResponse(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	copyHeader(w, response)
	w.WriteHeader(response.Code)
	_, _ = w.Write(response.Body.Bytes()) // an error means that the client has disconnected
}

func copyHeader(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), response.Header())
}

// passToSDK lets the SDK handle a request whose body has been read.
func (g *Gateway) passToSDK(w http.ResponseWriter, r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.handler.ServeHTTP(w, r)
}
