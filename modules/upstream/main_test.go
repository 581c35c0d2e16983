package upstream_test

import (
	"log/slog"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
	"mcp-aggregator/modules/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeServers is one child, which never settles unless the test says so, and records what
// it receives.
type fakeServers struct {
	settled  chan struct{}
	clients  []upstream.Client
	calls    []upstream.Replier
	notified []string

	ready          atomic.Bool
	beforeStatuses func()
}

func (f *fakeServers) ClientInitialized(c upstream.Client) { f.clients = append(f.clients, c) }

func (f *fakeServers) Statuses() []upstream.ServerStatus {
	if f.beforeStatuses != nil {
		f.beforeStatuses()
	}
	return []upstream.ServerStatus{{Key: "one", State: "initializing", Settled: f.ready.Load()}}
}

func (f *fakeServers) Settled(string) <-chan struct{} { return f.settled }

func (f *fakeServers) Call(_ string, _ *wire.Message, _ []byte, r upstream.Replier) {
	f.calls = append(f.calls, r)
}

func (f *fakeServers) Cancel(*wire.Message, func(upstream.Replier) bool) {}

func (*fakeServers) Flush() {}

func (f *fakeServers) Broadcast(m *wire.Message) { f.notified = append(f.notified, string(m.Line)) }

// serve starts a server with one child. It stops when the test ends.
func serve(t *testing.T, stdio upstream.Stdio, o upstream.Options) (*upstream.AggregatorServer, *fakeServers, *registry.ToolRegistry) {
	t.Helper()
	return serveWithCaller(t, stdio, o, func(f *fakeServers) upstream.Caller { return f })
}

// serveWithCaller is serve with another Caller.
func serveWithCaller(t *testing.T, stdio upstream.Stdio, o upstream.Options, as func(*fakeServers) upstream.Caller) (*upstream.AggregatorServer, *fakeServers, *registry.ToolRegistry) {
	t.Helper()
	f := &fakeServers{settled: make(chan struct{})}
	log := slog.New(slog.DiscardHandler)
	tools := registry.NewToolRegistry(registry.Order{"one"}, ":", registry.Filter{}, log)
	s := upstream.NewAggregatorServer(stdio, upstream.NewServerRequests(upstream.NewOutput(stdio)), upstream.Deps{Servers: f, Caller: as(f), Flusher: f}, tools, log, o)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return s, f, tools
}
