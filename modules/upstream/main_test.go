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

// family is the children: one of them, never ready, and what reaches it.
type family struct {
	settled  chan struct{}
	greeted  []upstream.Client
	calls    []upstream.Replier
	notified []string

	ready          atomic.Bool
	beforeStatuses func()
}

func (f *family) Introduce(c upstream.Client) { f.greeted = append(f.greeted, c) }

func (f *family) Statuses() []upstream.ServerStatus {
	if f.beforeStatuses != nil {
		f.beforeStatuses()
	}
	return []upstream.ServerStatus{{Key: "one", State: "initializing", Settled: f.ready.Load()}}
}

func (f *family) Settled(string) <-chan struct{} { return f.settled }

func (f *family) Call(_ string, _ *wire.Message, _ []byte, r upstream.Replier) {
	f.calls = append(f.calls, r)
}

func (f *family) Cancel(*wire.Message, func(upstream.Replier) bool) {}

func (*family) Flush() {}

func (f *family) Broadcast(m *wire.Message) { f.notified = append(f.notified, string(m.Line)) }

// serve starts a server of one child on these streams; it stops with the test.
func serve(t *testing.T, stdio upstream.Stdio, o upstream.Options) (*upstream.AggregatorServer, *family, *registry.ToolRegistry) {
	t.Helper()
	return serveAs(t, stdio, o, func(f *family) upstream.Caller { return f })
}

// serveAs is serve with another one who carries calls to the child.
func serveAs(t *testing.T, stdio upstream.Stdio, o upstream.Options, as func(*family) upstream.Caller) (*upstream.AggregatorServer, *family, *registry.ToolRegistry) {
	t.Helper()
	f := &family{settled: make(chan struct{})}
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
