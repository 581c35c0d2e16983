package gateway_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is a Gateway with fakes around it.
type harness struct {
	*gateway.Gateway

	tools    *registry.ToolRegistry
	engine   *search.Engine
	profiles *profiles
	server   *httptest.Server

	mu           sync.Mutex
	descriptions map[string]string
	call         func(ctx context.Context, call router.Call) (*router.Answer, error)
}

// newHarness returns a started gateway without an HTTP server.
func newHarness(tb testing.TB, options gateway.Options) *harness {
	tb.Helper()
	log := slog.New(slog.DiscardHandler)
	h := &harness{
		tools:        registry.NewToolRegistry(registry.Order{"srv", "other"}, registry.Dotted, registry.Filter{}, log),
		descriptions: map[string]string{},
		engine:       search.NewEngine(nil, log, search.Options{}),
		profiles:     &profiles{endpoints: map[string]gateway.Endpoint{}, changed: make(chan struct{}, 1)},
	}
	h.Gateway = gateway.NewGateway(h, records{}, h.tools, h, h.profiles, options)
	follower := toolsearch.NewFollower(h.tools, h.engine, h)
	for _, start := range []func(context.Context) error{h.Start, follower.Start} {
		if err := start(tb.Context()); err != nil {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(func() {
		_ = follower.Stop(tb.Context())
		_ = h.Stop(tb.Context())
	})
	return h
}

// newHTTPHarness returns a gateway behind an HTTP server.
func newHTTPHarness(t *testing.T, options gateway.Options) *harness {
	t.Helper()
	h := newHarness(t, options)
	h.server = httptest.NewServer(h)
	t.Cleanup(func() {
		_ = h.Stop(t.Context()) // ends the open streams, for which Close would wait
		h.server.Close()
	})
	return h
}

// handleCalls sets the handler of calls.
func (h *harness) handleCalls(call func(ctx context.Context, call router.Call) (*router.Answer, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.call = call
}

// Call implements gateway.Caller.
func (h *harness) Call(ctx context.Context, call router.Call) (*router.Answer, error) {
	h.mu.Lock()
	handle := h.call
	h.mu.Unlock()
	if handle == nil {
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{"content":[]}}`), nil
	}
	return handle(ctx, call)
}

// DescribeServer implements toolsearch.ServerDescriber.
func (h *harness) DescribeServer(key string) toolsearch.ServerInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	return toolsearch.ServerInfo{Description: h.descriptions[key]}
}

// describe sets the description of a server.
func (h *harness) describe(key, text string) {
	h.mu.Lock()
	h.descriptions[key] = text
	h.mu.Unlock()
	h.DescriptionsChanged()
}

// Catalogue implements gateway.Catalogues.
func (h *harness) Catalogue(c gateway.CatalogueClient) lean.Catalogue {
	return toolsearch.NewCatalogue(h.engine, c.View, h, c.Unlisted)
}

// profiles implements gateway.Profiles.
type profiles struct {
	mu        sync.Mutex
	endpoints map[string]gateway.Endpoint
	changed   chan struct{}
}

// Endpoint implements gateway.Profiles.
func (p *profiles) Endpoint(name string) (gateway.Endpoint, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, ok := p.endpoints[name]
	return e, ok
}

// Subscribe implements gateway.Profiles.
func (p *profiles) Subscribe(context.Context) <-chan struct{} { return p.changed }

// set sets a profile, or removes it if e is nil.
func (p *profiles) set(name string, e *gateway.Endpoint) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e == nil {
		delete(p.endpoints, name)
	} else {
		p.endpoints[name] = *e
	}
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// answerOf returns an answer with that response.
func answerOf(line string) *router.Answer {
	m := new(wire.Message)
	if err := new(wire.Scanner).Scan([]byte(line), m); err != nil {
		panic(err)
	}
	return &router.Answer{Response: m, Server: "srv"}
}

// message parses a line.
func message(line string) *wire.Message { return answerOf(line).Response }

// records are the servers in the registry.
type records struct{}

func (records) Servers() []servers.Server {
	return []servers.Server{
		{
			ID: "1", Name: "srv", Description: "it <does> & says \"much\"", Transport: servers.Stdio, Status: servers.Connected, ToolCount: 2,
			RegisteredAt: time.Unix(1, 0).UTC(), ConnectedAt: time.Unix(2, 0).UTC(),
			Connection: servers.Connection{Env: map[string]string{"TOKEN": "s3cr3t"}},
		},
		{ID: "2", Name: "off", Transport: servers.HTTP, Status: servers.Errored, Error: "connection refused", RegisteredAt: time.Unix(3, 0).UTC()},
	}
}

func (r records) Named(name string) (servers.Server, error) {
	for _, s := range r.Servers() {
		if s.Name == name {
			return s, nil
		}
	}
	return servers.Server{}, servers.ErrUnknown
}

// eventually waits until holds returns true.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for range 2000 {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// receive receives from c, with a timeout.
func receive[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(20 * time.Second):
		t.Fatalf("never: %s", what)
	}
	return v
}

// mustContain fails the test unless text contains part.
func mustContain(t *testing.T, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%.2000s\nlacks\n%s", text, part)
	}
}
