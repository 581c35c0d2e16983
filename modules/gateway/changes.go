package gateway

import (
	"context"
	"net/http"
	"time"
)

// handleGet serves the stream on which a client receives list_changed.
func (g *Gateway) handleGet(w http.ResponseWriter, r *http.Request) {
	s := g.sessionOf(r)
	if s == nil || !acceptsEvents(r) {
		g.handler.ServeHTTP(w, r) // the SDK returns the error
		return
	}
	if !s.addListener() {
		http.Error(w, "the session has an open stream already: close that first", http.StatusConflict)
		return
	}
	defer s.removeListener()
	startEventStream(w)
	sendComment(w)
	keepAlive := time.NewTicker(g.options.KeepAlive)
	defer keepAlive.Stop()
	for {
		select {
		case <-s.changed:
			writeEvent(w, listChanged)
			flushResponse(w)
		case <-keepAlive.C:
			sendComment(w)
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		case <-g.stop:
			return
		}
	}
}

func acceptsEvents(r *http.Request) bool {
	return acceptsBoth(append(r.Header.Values("Accept"), "application/json"))
}

var listChanged = []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)

// sendComment sends a comment, which clients ignore, to keep proxies from closing an idle
// connection.
func sendComment(w http.ResponseWriter) {
	writeComment(w) // the request's context ends with the connection
	flushResponse(w)
}

// addListener reserves the session's GET stream. It reports false if the session has one
// already or is closed.
func (s *session) addListener() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasListener || s.closed {
		return false
	}
	s.hasListener = true
	return true
}

// removeListener releases the session's GET stream.
func (s *session) removeListener() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasListener, s.lastUsed = false, time.Now()
}

// announceChanges sends notifications/tools/list_changed, one for changes in quick
// succession.
func (g *Gateway) announceChanges() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	changes := g.tools.Subscribe(ctx)
	for {
		select {
		case <-changes.Changed():
		case <-g.stop:
			return
		}
		select {
		case <-time.After(g.options.Coalesce):
		case <-g.stop:
			return
		}
		changes.Next() // clears Changed: signalSessions covers all changes so far
		g.signalSessions()
	}
}

// signalSessions signals all sessions that the list has changed.
func (g *Gateway) signalSessions() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		select {
		case s.changed <- struct{}{}:
		default: // a signal is pending
		}
	}
}
