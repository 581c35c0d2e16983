package gateway

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcp-aggregator/modules/registry"
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

// DescriptionsChanged announces the lists that say something else of the servers than
// before. It does not block.
func (g *Gateway) DescriptionsChanged() {
	select {
	case g.described <- struct{}{}:
	default: // a signal is pending
	}
}

// announceChanges sends notifications/tools/list_changed, one for changes in quick
// succession, and ends the sessions of profiles that are removed.
func (g *Gateway) announceChanges() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	tools, profiles := g.tools.Subscribe(ctx), g.profiles.Subscribe(ctx)
	for {
		toolsChanged := false
		select {
		case <-tools.Changed():
			toolsChanged = true
		case <-profiles:
		case <-g.described:
		case <-g.stop:
			return
		}
		select {
		case <-time.After(g.options.Coalesce):
		case <-g.stop:
			return
		}
		toolsChanged = drain(tools.Changed()) || toolsChanged
		drain(profiles)
		drain(g.described)
		tools.Next() // signalSessions covers all changes so far
		g.signalSessions(toolsChanged)
	}
}

// drain reports whether c was signaled.
func drain(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// signalSessions signals the sessions whose list has changed, and ends those whose profile
// is removed. Sessions at [Path] are told of every change of the tools.
func (g *Gateway) signalSessions(toolsChanged bool) {
	g.mu.Lock()
	sessions := slices.Collect(maps.Values(g.sessions))
	g.mu.Unlock()
	known := make(map[listKey]uint64)
	for _, s := range sessions {
		version, ok := g.listVersion(s, known)
		switch {
		case !ok:
			g.endSession(s)
		case version == 0 && toolsChanged || s.listVersion.Swap(version) != version:
			s.signalChanged()
		}
	}
}

func (s *session) signalChanged() {
	select {
	case s.changed <- struct{}{}:
	default: // a signal is pending
	}
}

// listKey identifies the list of sessions: those with the same naming at one endpoint have
// the same.
type listKey struct {
	path string
	view *registry.View
}

// hasVersion reports whether the session is told of changes only if they are changes of its
// own list: not at [Path].
func (s *session) hasVersion() bool { return strings.HasPrefix(s.path, Path+"/") }

// listVersion returns the version of the list that a session would get now, 0 at [Path],
// where it is not needed. It reports false if the endpoint is removed. Versions are kept
// in known, unless that is nil.
func (g *Gateway) listVersion(s *session, known map[listKey]uint64) (version uint64, ok bool) {
	e, ok := g.endpointAt(s.path)
	if !ok || !s.hasVersion() {
		return 0, ok
	}
	c := g.scopeOf(s, e)
	key := listKey{s.path, c.view}
	version, found := known[key]
	if !found {
		version = g.versionOf(g.toolsResult(c))
		if known != nil {
			known[key] = version
		}
	}
	return version, true
}
