package toolsearch_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/search"
)

type described map[string]toolsearch.ServerInfo

func (d described) DescribeServer(key string) toolsearch.ServerInfo { return d[key] }

func definition(name, description string) []byte {
	return fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`, name, description)
}

type house struct {
	tools    *registry.ToolRegistry
	engine   *search.Engine
	servers  described
	follower *toolsearch.Follower
}

func start(t *testing.T, logs ...*slog.Logger) *house {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	if len(logs) > 0 {
		log = logs[0]
	}
	learning := search.NewLearning(search.NewMemoryLearning(), log, search.LearningOptions{Quorum: 1})
	h := &house{
		tools:   registry.NewToolRegistry(registry.Order{"files", "web"}, registry.Dotted, registry.Filter{}, log),
		engine:  search.NewEngine(learning, log, search.Options{}),
		servers: described{},
	}
	h.follower = toolsearch.NewFollower(h.tools, h.engine, h.servers)
	if err := h.follower.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.follower.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func (h *house) find(t *testing.T, query string) (names []string) {
	t.Helper()
	synctest.Wait()
	found, err := h.engine.Search(t.Context(), search.Query{Text: query})
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range found.Hits {
		names = append(names, hit.Name)
	}
	return names
}

func TestTheIndexFollowsTheRegistry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		expect := func(query string, want ...string) {
			t.Helper()
			if got := h.find(t, query); !slices.Equal(got, want) {
				t.Errorf("%s: found %q, want %q", query, got, want)
			}
		}
		h.tools.ReplaceTools("files", [][]byte{definition("read", "Reads an invoice"), definition("write", "Writes an invoice")})
		h.tools.ReplaceTools("web", [][]byte{definition("fetch", "Downloads a page")})
		expect("page", "web.fetch")
		expect("invoice", "files.read", "files.write")
		h.tools.ReplaceTools("files", [][]byte{definition("read", "Reads a spreadsheet")})
		expect("invoice")
		expect("spreadsheet", "files.read")
		h.tools.RemoveTools("web")
		expect("page")

		expect("paperwork")
		h.servers["files"] = toolsearch.ServerInfo{Description: "All the paperwork"}
		h.follower.Redescribe("files")
		expect("paperwork", "files.read")
	})
}

func TestEveryServerThatIsDescribedAnewIsIndexedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		var order registry.Order
		for i := range 200 {
			order = append(order, fmt.Sprintf("s%d", i))
		}
		h.tools.SetOrder(order)
		for i := range 200 {
			h.tools.ReplaceTools(fmt.Sprintf("s%d", i), [][]byte{definition("read", "Reads an invoice")})
		}
		h.find(t, "invoice") // all are indexed
		for i := range 200 {
			h.servers[fmt.Sprintf("s%d", i)] = toolsearch.ServerInfo{Description: "All the paperwork"}
		}
		for i := range 200 {
			h.follower.Redescribe(fmt.Sprintf("s%d", i))
		}
		h.follower.Redescribe("unknown")
		synctest.Wait()
		found, err := h.engine.Search(t.Context(), search.Query{Text: "paperwork", Limit: 100, Servers: []string{"s150", "s199", "s0"}})
		if err != nil || len(found.Hits) != 3 {
			t.Errorf("found %d tools, %v", len(found.Hits), err)
		}
	})
}

func TestAServerOfTooManyToolsIsIndexedInPartWithOneWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := start(t, slog.New(slog.NewTextHandler(&log, nil)))
		h.tools.ReplaceTools("web", [][]byte{definition("fetch", "Downloads a page")})
		many := make([][]byte, 100_000)
		for i := range many {
			many[i] = fmt.Appendf(nil, `{"name":"t%d"}`, i)
		}
		if n := h.tools.ReplaceTools("files", many); n != len(many) {
			t.Fatalf("%d tools are registered", n)
		}
		if got, want := h.find(t, "t19999"), []string{"files.t19999"}; !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
		if got := h.find(t, "t20000"); slices.Contains(got, "files.t20000") {
			t.Errorf("found %q", got)
		}
		if got := h.find(t, "page"); !slices.Equal(got, []string{"web.fetch"}) {
			t.Errorf("another server's: found %q", got)
		}
		if n := h.engine.Snapshot().Len(); n != search.MaxTools+1 {
			t.Errorf("%d tools are indexed", n)
		}
		if n := strings.Count(log.String(), "too many tools: indexing only"); n != 1 || !strings.Contains(log.String(), "server=files tools=100000") {
			t.Errorf("%d warnings: %s", n, &log)
		}
	})
}

func TestACatalogueIsWhatItsClientSees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		h.servers["files"] = toolsearch.ServerInfo{Title: "Files", Description: "Local files"}
		h.tools.ReplaceTools("files", [][]byte{definition("read", "Reads an invoice"), definition("write", "Writes an invoice")})
		h.tools.ReplaceTools("web", [][]byte{definition("fetch", "Downloads an invoice")})
		synctest.Wait()
		naming := registry.Dotted.NamingFor("claude-ai").WithFilter(registry.Filter{Deny: []string{"*.write"}})
		c := toolsearch.NewCatalogue(h.engine, h.tools.Snapshot().View(naming), h.servers,
			func(name string) bool { return name == "mail__send" })

		hits, err := c.Search(t.Context(), "invoice", 10, nil)
		var found []string
		for _, hit := range hits {
			found = append(found, hit.Name)
		}
		slices.Sort(found)
		if want := []string{"files__read", "web__fetch"}; err != nil || !slices.Equal(found, want) {
			t.Errorf("found %q, %v, want %q", found, err, want)
		}
		for name, want := range map[string]lean.Presence{
			"files__read": lean.Listed, "files.read": lean.Listed, "files__write": lean.Absent, "mail__send": lean.Unlisted,
		} {
			if _, got := c.Lookup(name); got != want {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
		want := []lean.Server{
			{Name: "files", Title: "Files", Description: "Local files", Tools: 1, Hints: lean.Hints{ReadOnly: true, OpenWorld: true}},
			{Name: "web", Description: "fetch", Tools: 1, Hints: lean.Hints{ReadOnly: true, OpenWorld: true}},
		}
		if got := c.Servers(); !slices.Equal(got, want) {
			t.Errorf("servers %+v, want %+v", got, want)
		}
		if got := c.Nearest("files__raed"); !slices.Equal(got, []string{"files__read"}) {
			t.Errorf("nearest %q", got)
		}
	})
}

func TestAServerWithoutADescriptionIsDescribedByItsTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		var tools [][]byte
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			tools = append(tools, definition(name, "Does something"))
		}
		h.tools.ReplaceTools("files", tools)
		h.tools.ReplaceTools("web", tools[:4])
		c := toolsearch.NewCatalogue(h.engine, h.tools.Snapshot().View(registry.Dotted.NamingFor("")), h.servers, nil)
		for i, want := range []string{"a, b, c, d, ...", "a, b, c, d"} {
			if got := c.Servers()[i].Description; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		h.servers["files"] = toolsearch.ServerInfo{Title: "Files"}
		if got := c.Servers()[0]; got.Title != "Files" || got.Description != "" {
			t.Errorf("with a title: %+v", got)
		}
	})
}

func TestCataloguesOfOneViewDescribeServersAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		h.tools.ReplaceTools("files", [][]byte{definition("read", "Reads an invoice")})
		synctest.Wait()
		all := toolsearch.NewCatalogues(toolsearch.NewSearcher(h.engine), h.servers)
		snapshot := h.tools.Snapshot()
		view := snapshot.View(registry.Dotted.NamingFor("somebody"))
		for i := range 3 {
			h.servers["files"] = toolsearch.ServerInfo{Description: fmt.Sprint("Description ", i)}
			by := toolsearch.Caller{Session: fmt.Sprint(i), Principal: "me"}
			c := all.For(by, snapshot, view, func(name string) bool { return name == by.Session })
			if _, presence := c.Lookup(by.Session); presence != lean.Unlisted {
				t.Errorf("caller %d: another is asked", i)
			}
			if got := c.Servers(); len(got) != 1 || got[0].Description != h.servers["files"].Description {
				t.Errorf("servers %+v", got)
			}
		}
		h.tools.ReplaceTools("web", [][]byte{definition("fetch", "Downloads an invoice")})
		next := h.tools.Snapshot()
		c := all.For(toolsearch.Caller{}, next, next.View(registry.Dotted.NamingFor("somebody")), nil)
		if got := c.Servers(); len(got) != 2 {
			t.Errorf("of the next snapshot, servers %+v", got)
		}
	})
}

// The call counts only if it is known whose search it follows.
func TestACatalogueSearchesForItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		h.tools.ReplaceTools("files", [][]byte{definition("first", "Reads an invoice"), definition("other", "Reads an invoice")})
		synctest.Wait()
		searcher := toolsearch.NewSearcher(h.engine)
		all, snapshot := toolsearch.NewCatalogues(searcher, h.servers), h.tools.Snapshot()
		best := func(by toolsearch.Caller) string {
			hits, err := all.For(by, snapshot, snapshot.View(registry.Dotted.NamingFor("")), nil).Search(t.Context(), "invoice", 2, nil)
			if err != nil || len(hits) != 2 {
				t.Fatal(hits, err)
			}
			return hits[0].Name
		}
		me, other := toolsearch.Caller{Session: "1", Principal: "me"}, toolsearch.Caller{Session: "2", Principal: "other"}
		if got := best(me); got != "files.first" {
			t.Fatal(got)
		}
		searcher.Called(other, "files", "other")
		if got := best(me); got != "files.first" {
			t.Errorf("after a call of another: %s", got)
		}
		searcher.Called(me, "files", "other")
		if got := best(me); got != "files.other" {
			t.Errorf("after a call of its own: %s", got)
		}
	})
}

func TestTheFollowerTellsWhenAVersionIsIndexed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t)
		reached := func(version int64) bool {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			h.follower.Await(ctx, version)
			return ctx.Err() == nil
		}
		if !reached(0) {
			t.Error("a registry without tools is not indexed")
		}
		h.tools.ReplaceTools("files", [][]byte{definition("read", "Reads an invoice")})
		version := h.tools.Snapshot().Version
		if !reached(version) || len(h.find(t, "invoice")) != 1 {
			t.Error("a version that is there is not indexed")
		}
		if reached(version + 1) {
			t.Error("a version to come is indexed")
		}
		began := time.Now()
		if err := h.follower.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if h.follower.Await(t.Context(), version+1); time.Since(began) != 0 {
			t.Error("it is waited for a follower that has stopped")
		}
	})
}
