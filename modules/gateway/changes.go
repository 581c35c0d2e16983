package gateway

import (
	"context"
	"net/http"
	"time"
)

// get serves the stream on which the client hears of changes.
func (g *Gateway) get(w http.ResponseWriter, r *http.Request) {
	s := g.session(r)
	if s == nil || !acceptsEvents(r) {
		g.handler.ServeHTTP(w, r) // the SDK says what is wrong
		return
	}
	if !s.watch() {
		http.Error(w, "the session has such a stream already", http.StatusConflict)
		return
	}
	defer s.unwatch()
	startEvents(w)
	comment(w)
	keepAlive := time.NewTicker(g.options.KeepAlive)
	defer keepAlive.Stop()
	for {
		select {
		case <-s.changed:
			writeEvent(w, listChanged)
			flush(w)
		case <-keepAlive.C:
			comment(w)
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

// comment writes what clients ignore, and what keeps what stands between awake.
func comment(w http.ResponseWriter) {
	writeComment(w) // a client that has gone is noticed by its context
	flush(w)
}

func (s *session) watch() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched || s.over {
		return false
	}
	s.watched = true
	return true
}

func (s *session) unwatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watched, s.lastUsed = false, time.Now()
}

// announce tells the clients of changes, several at a time.
func (g *Gateway) announce() {
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
		g.tell()
	}
}

func (g *Gateway) tell() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		select {
		case s.changed <- struct{}{}:
		default: // it will be told anyway
		}
	}
}
