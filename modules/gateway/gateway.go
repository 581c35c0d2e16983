package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
)

// Caller carries calls.
type Caller interface {
	// Call is RequestRouter's.
	Call(ctx context.Context, call router.Call) (*router.Answer, error)
}

// ServerLister is where the records of the servers are.
type ServerLister interface {
	// Servers returns all records.
	Servers() []servers.Server
	// Named returns the record with that name, or servers.ErrUnknown.
	Named(name string) (servers.Server, error)
}

// Gateway serves MCP clients over streamable HTTP.
type Gateway struct {
	caller   Caller
	registry ServerLister
	tools    *registry.ToolRegistry
	options  Options
	sdk      *mcp.Server
	handler  http.Handler // of the SDK

	mu       sync.Mutex
	sessions map[string]*session
	coming   int  // sessions that are being made
	stopped  bool // no more are

	stop chan struct{}
	once sync.Once
	work sync.WaitGroup
}

// NewGateway returns a gateway to the tools listed in tools.
func NewGateway(caller Caller, records ServerLister, tools *registry.ToolRegistry, options Options) *Gateway {
	g := &Gateway{
		caller: caller, registry: records, tools: tools, options: options.withDefaults(),
		sessions: make(map[string]*session), stop: make(chan struct{}),
	}
	g.sdk = mcp.NewServer(&mcp.Implementation{Name: name, Version: g.options.Version}, &mcp.ServerOptions{
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		SupportedProtocolVersions: protocolVersions(),
		Logger:                    slog.New(slog.DiscardHandler),
	})
	g.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return g.sdk },
		&mcp.StreamableHTTPOptions{JSONResponse: true, MaxRequestBodyBytes: -1})
	return g
}

// Start begins to tell clients of changes, and to end sessions that nobody uses.
func (g *Gateway) Start(context.Context) error {
	g.work.Go(g.announce)
	g.work.Go(g.expire)
	return nil
}

// Stop ends all sessions. Calls that are open fail. It does not wait beyond its context.
func (g *Gateway) Stop(ctx context.Context) error {
	g.CloseStreams()
	ended := make(chan struct{})
	go func() { // outlives Stop only if that runs out of time
		g.endSessions()
		g.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("gateway: not all sessions are ended: %w", ctx.Err())
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

// CloseStreams ends the streams that wait for news. Calls go on.
func (g *Gateway) CloseStreams() { g.once.Do(func() { close(g.stop) }) }

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !sameOrigin(r):
		http.Error(w, "requests of other sites are refused", http.StatusForbidden)
	case r.Method == http.MethodPost:
		g.post(w, r)
	case !speaks(r):
		http.Error(w, "Mcp-Protocol-Version: use one of "+strings.Join(protocolVersions(), ", "), http.StatusBadRequest)
	case r.Method == http.MethodGet:
		g.get(w, r)
	case r.Method == http.MethodDelete:
		g.remove(w, r)
	default:
		g.handler.ServeHTTP(w, r)
	}
}

// sameOrigin reports whether a request is of no web page, or of one of ours
// (2025-11-25, basic/transports#security-warning).
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// sessionHeader and versionHeader are those of the transport.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

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
