package gateway

import (
	"context"
	"net/http"
	"time"
)

// handleGet serves the stream on which the client hears of changes.
func (g *Gateway) handleGet(w http.ResponseWriter, r *http.Request) {
	s := g.sessionOf(r)
	if s == nil || !acceptsEvents(r) {
		g.handler.ServeHTTP(w, r) // the SDK says what is wrong
		return
	}
	if !s.addListener() {
		http.Error(w, "the session has such a stream already", http.StatusConflict)
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

// sendComment writes what clients ignore, and what keeps what stands between awake.
func sendComment(w http.ResponseWriter) {
	writeComment(w) // a client that has gone is noticed by its context
	flushResponse(w)
}

func (s *session) addListener() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasListener || s.closed {
		return false
	}
	s.hasListener = true
	return true
}

func (s *session) removeListener() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hasListener, s.lastUsed = false, time.Now()
}

// announceChanges tells the clients of changes, several at a time.
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
		changes.Next() // what has changed meanwhile is told of now
		g.signalSessions()
	}
}

func (g *Gateway) signalSessions() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		select {
		case s.changed <- struct{}{}:
		default: // it will be told anyway
		}
	}
}
