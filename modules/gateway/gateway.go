package gateway

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// Options of the Gateway. The zero value means the defaults.
type Options struct {
	Version    string // serverInfo.version; default "0.0.0"
	MaxMessage int64  // bytes of one message of a client; default 256 MiB
	// MaxSessions bounds the memory that clients can occupy; default 10,000.
	MaxSessions int
	IdleTime    time.Duration // after which an unused session ends; default 1 h
	KeepAlive   time.Duration // between comments on an idle stream; default 25 s
	Coalesce    time.Duration // changes within it cause one list_changed; default 50 ms
}

func (o Options) withDefaults() Options {
	return Options{
		Version:     cmp.Or(o.Version, "0.0.0"),
		MaxMessage:  cmp.Or(o.MaxMessage, 256<<20),
		MaxSessions: cmp.Or(o.MaxSessions, 10_000),
		IdleTime:    cmp.Or(o.IdleTime, time.Hour),
		KeepAlive:   cmp.Or(o.KeepAlive, 25*time.Second),
		Coalesce:    cmp.Or(o.Coalesce, 50*time.Millisecond),
	}
}

// serverName is serverInfo.name.
const serverName = "mcp-aggregator"

// Caller carries calls to the servers.
type Caller interface {
	// Call is [router.RequestRouter.Call].
	Call(ctx context.Context, call router.Call) (*router.Answer, error)
}

// ServerLister has the records of the servers.
type ServerLister interface {
	// Servers returns all records.
	Servers() []servers.Server
	// Named returns the record with that name, or servers.ErrUnknown.
	Named(name string) (servers.Server, error)
}

// Gateway serves MCP clients over streamable HTTP.
type Gateway struct {
	caller     Caller
	servers    ServerLister
	tools      *registry.ToolRegistry
	catalogues Catalogues
	profiles   Profiles
	options    Options
	sdk        *mcp.Server
	handler    http.Handler // the SDK's

	mu       sync.Mutex
	sessions map[string]*session
	reserved int  // places for sessions that the SDK is creating
	stopped  bool // no new sessions

	seed      maphash.Seed  // of the versions of lists
	described chan struct{} // signaled by DescriptionsChanged
	stop      chan struct{}
	stopOnce  sync.Once
	work      sync.WaitGroup
}

// NewGateway returns a gateway for the given tools.
func NewGateway(
	caller Caller, records ServerLister, tools *registry.ToolRegistry, catalogues Catalogues, profiles Profiles, options Options,
) *Gateway {
	g := &Gateway{
		caller: caller, servers: records, tools: tools, catalogues: catalogues, profiles: profiles, options: options.withDefaults(),
		sessions: make(map[string]*session), seed: maphash.MakeSeed(), described: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	g.sdk = mcp.NewServer(&mcp.Implementation{Name: serverName, Version: g.options.Version}, &mcp.ServerOptions{
		Capabilities:              &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		SupportedProtocolVersions: wire.HTTPRevisions(),
		Logger:                    slog.New(slog.DiscardHandler),
	})
	g.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return g.sdk },
		&mcp.StreamableHTTPOptions{JSONResponse: true, MaxRequestBodyBytes: -1})
	return g
}

// Start begins to announce changes and to end idle sessions.
func (g *Gateway) Start(context.Context) error {
	g.work.Go(g.announceChanges)
	g.work.Go(g.expireSessions)
	return nil
}

// Stop ends all sessions; open calls fail. It returns when ctx ends at the latest.
func (g *Gateway) Stop(ctx context.Context) error {
	g.CloseStreams()
	ended := make(chan struct{})
	go func() { // outlives Stop only if ctx ends first
		g.endAllSessions()
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

// CloseStreams ends the streams that clients have opened with GET. Open calls continue.
func (g *Gateway) CloseStreams() { g.stopOnce.Do(func() { close(g.stop) }) }

// ServeHTTP implements http.Handler.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !sameOrigin(r):
		http.Error(w, "cross-origin requests are refused", http.StatusForbidden)
	case !g.hasEndpoint(r.URL.Path):
		noEndpoint(w, r.URL.Path)
	case r.Method == http.MethodPost:
		g.handlePost(w, r)
	case !supportsVersion(r):
		http.Error(w, "Mcp-Protocol-Version: use one of "+strings.Join(wire.HTTPRevisions(), ", "), http.StatusBadRequest)
	case r.Method != http.MethodPost && r.Header.Get(sessionHeader) != "" && g.sessionOf(r) == nil:
		sessionNotFound(w) // the SDK would find those of other endpoints
	case r.Method == http.MethodGet:
		g.handleGet(w, r)
	case r.Method == http.MethodDelete:
		g.handleDelete(w, r)
	default:
		g.handler.ServeHTTP(w, r)
	}
}

// sameOrigin reports whether a request comes from no web page, or from one of this host
// (2025-11-25, basic/transports#security-warning).
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// The headers of the transport.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)
