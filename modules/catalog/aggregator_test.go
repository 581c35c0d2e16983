package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/catalog"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is a ToolAggregator with fakes.
type harness struct {
	*catalog.ToolAggregator

	watcher servers.Watcher
	tools   *registry.ToolRegistry
	log     bytes.Buffer

	mu     sync.Mutex
	stored map[string][]servers.Tool
	err    error
	hangs  bool
	others chan struct{} // signals of other replicas; nil if there are none
}

func newHarness() *harness {
	h := &harness{
		tools:  registry.NewToolRegistry(nil, registry.Dotted, registry.Filter{}, slog.New(slog.DiscardHandler)),
		stored: make(map[string][]servers.Tool),
	}
	h.ToolAggregator = catalog.NewToolAggregator(h, h, h, h.tools, slog.New(slog.NewTextHandler(&h.log, nil)))
	return h
}

func (h *harness) Watch(w servers.Watcher) { h.watcher = w }

// Changes and Claim implement servers.Cluster.
func (h *harness) Changes() <-chan struct{} { return h.others }

func (*harness) Claim(context.Context, string) (servers.Claim, bool, error) { return nil, false, nil }

func (h *harness) Tools(context.Context) ([]servers.Tool, error) { return h.stored["1"], h.err }

func (h *harness) ReplaceTools(ctx context.Context, id string, tools []servers.Tool) error {
	if h.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	if h.err != nil {
		return h.err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stored[id] = tools
	return nil
}

func (h *harness) register(id, name string) { h.watcher.Changed(servers.Server{ID: id, Name: name}) }

// listed returns the names that clients see.
func (h *harness) listed() string {
	var names []string
	for _, e := range h.tools.Snapshot().Entries() {
		names = append(names, e.Name)
	}
	return strings.Join(names, " ")
}

func definitionsOf(names ...string) (definitions [][]byte) {
	for _, name := range names {
		definitions = append(definitions, []byte(`{"name":"`+name+`"}`))
	}
	return definitions
}

func (h *harness) expect(t *testing.T, want string) {
	t.Helper()
	if got := h.listed(); got != want {
		t.Errorf("%q is listed, want %q", got, want)
	}
}

func TestToolsFollowTheirServers(t *testing.T) {
	h := newHarness()
	h.register("1", "a")
	h.register("2", "b")
	if n := h.Set(t.Context(), "2", definitionsOf("x", "y")); n != 2 {
		t.Error(n)
	}
	h.Set(t.Context(), "1", definitionsOf("x"))
	h.expect(t, "a.x b.x b.y")
	h.register("1", "a") // another status
	h.register("1", "c")
	h.expect(t, "c.x b.x b.y")
	h.Set(t.Context(), "1", definitionsOf("z"))
	h.expect(t, "c.z b.x b.y")
	h.Hide("2")
	h.expect(t, "c.z")
	if len(h.stored["2"]) != 2 {
		t.Error("what is hidden is not stored any more")
	}
	h.register("2", "a")
	h.Set(t.Context(), "2", definitionsOf("x"))
	h.expect(t, "c.z a.x")
	h.watcher.Removed(servers.Server{ID: "1", Name: "c"})
	h.expect(t, "a.x")
	if n := h.Set(t.Context(), "1", definitionsOf("late")); n != 0 {
		t.Error(n)
	}
	h.Hide("1")
	h.expect(t, "a.x")
	if len(h.stored["1"]) != 1 {
		t.Error("tools of a server that is gone are stored")
	}
	h.register("3", "c") // its name is free
	h.expect(t, "a.x")
	h.Set(t.Context(), "3", definitionsOf("n"))
	h.expect(t, "a.x c.n")
}

func TestToolsAreStoredAsTheyWereWritten(t *testing.T) {
	h := newHarness()
	h.register("1", "a")
	definitions := [][]byte{
		[]byte(`{"x":1e400,"name":"\u0074","description":"d\n\"","inputSchema":{"type":"object","maximum":1.0,"a":1,"a":2}}`),
		[]byte(`{"name":"t"}`), // the same name
		[]byte(`{"name":""}`), []byte(`{}`), []byte(`7`), []byte(`{"name":3}`),
		[]byte(`{"name":"u","description":7}`),
	}
	if n := h.Set(t.Context(), "1", definitions); n != 2 {
		t.Error(n)
	}
	h.expect(t, "a.t a.u")
	got := h.stored["1"]
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	first, second := got[0], got[1]
	if first.Server != "1" || first.Name != "t" || first.Namespaced != "a.t" || first.Description != "d\n\"" || first.Classified ||
		string(first.InputSchema) != `{"type":"object","maximum":1.0,"a":1,"a":2}` || !bytes.Equal(first.Definition, definitions[0]) {
		t.Errorf("%+v", first)
	}
	if second.Name != "u" || second.Description != "" || second.InputSchema != nil {
		t.Errorf("%+v", second)
	}
}

func TestWhatIsStoredIsWhatIsListed(t *testing.T) {
	h := newHarness()
	h.register("1", "a")
	if n := h.Set(t.Context(), "1", [][]byte{[]byte(`{"name":"t","\u006eame":"u"}`), []byte(`{"name":"v"}`)}); n != 1 || len(h.stored["1"]) != 1 {
		t.Errorf("%d are listed, %d stored", n, len(h.stored["1"]))
	}
}

func TestAListThatCannotBeStoredIsListedAllTheSame(t *testing.T) {
	for name, test := range map[string]struct {
		err    error
		logged string
	}{
		"on a full disk":              {errors.New("disk full"), `msg="tools not stored" server=a reason="disk full"`},
		"of a server removed just so": {servers.ErrUnknown, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness()
			h.register("1", "a")
			h.err = test.err
			if n := h.Set(t.Context(), "1", definitionsOf("t")); n != 1 {
				t.Error(n)
			}
			h.expect(t, "a.t")
			if got := h.log.String(); !strings.Contains(got, test.logged) || (got == "") != (test.logged == "") {
				t.Error(got)
			}
		})
	}
}

func TestAStoreThatHangsIsNotWaitedForBeyondTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness()
		h.register("1", "a")
		h.register("2", "b")
		h.hangs = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		done := make(chan int)
		go func() { done <- h.Set(ctx, "1", definitionsOf("t")) }()
		synctest.Wait()
		h.expect(t, "a.t")
		h.register("2", "c") // nobody else waits
		h.Hide("2")
		if n := <-done; n != 1 || time.Since(began) != time.Second {
			t.Errorf("%d after %v", n, time.Since(began))
		}
	})
}

func TestToolsReturnsStoredTools(t *testing.T) {
	h := newHarness()
	h.register("1", "a")
	h.Set(t.Context(), "1", definitionsOf("t"))
	h.Hide("1")
	if tools, err := h.ToolAggregator.Tools(t.Context()); err != nil || len(tools) != 1 || tools[0].Namespaced != "a.t" {
		t.Errorf("%+v, %v", tools, err)
	}
}

func TestTheVersionChangesWithWhatIsStored(t *testing.T) {
	h := newHarness()
	h.register("1", "a")
	for _, step := range []struct {
		what    string
		do      func()
		changes bool
	}{
		{"a new server", func() { h.register("2", "b") }, true},
		{"a new name", func() { h.register("1", "c") }, true},
		{"tools", func() { h.Set(t.Context(), "1", definitionsOf("x")) }, true},
		{"a server's end", func() { h.watcher.Removed(servers.Server{ID: "2"}) }, true},
		{"tools that are hidden", func() { h.Hide("1") }, false},
		{"another status", func() { h.watcher.Changed(servers.Server{ID: "1", Name: "c", ToolCount: 7}) }, false},
	} {
		before := h.Version()
		step.do()
		if changes := h.Version() != before; changes != step.changes {
			t.Errorf("%s: the version changes: %v", step.what, changes)
		}
	}
}

func TestWhatOtherReplicasStoreShowsWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness()
		before := h.Version()
		time.Sleep(time.Second)
		if h.Version() != before {
			t.Error("alone, it changes with the time")
		}
		h.others = make(chan struct{})
		before = h.Version()
		time.Sleep(time.Second)
		if h.Version() == before {
			t.Error("with others, it does not change with the time")
		}
	})
}
