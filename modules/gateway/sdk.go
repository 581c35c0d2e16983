package gateway

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"time"

	"mcp-aggregator/modules/wire"
)

// ours is the id of requests to the SDK, which rounds large ones.
var ours = []byte("1")

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

// notifySDK has the SDK take a message of a session, without an answer to it.
func (g *Gateway) notifySDK(r *http.Request, m *wire.Message) { g.askSDK(r, m.Line) }

// askSDK has the SDK handle a body with the headers of r.
func (g *Gateway) askSDK(r *http.Request, body []byte) *httptest.ResponseRecorder {
	request := r.Clone(r.Context())
	request.Body = http.NoBody
	response := httptest.NewRecorder()
	g.pass(response, request, bytes.Clone(body))
	return response
}

func copyTo(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	copyHeader(w, response)
	w.WriteHeader(response.Code)
	_, _ = w.Write(response.Body.Bytes()) // a client that has gone needs no answer
}

func copyHeader(w http.ResponseWriter, response *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), response.Header())
}
