// Package storetest has the conformance suites of what modules store: what every storage
// engine must do. Each interface has a suite, in a file of its own, and a function that
// runs it, as [Run] does for [servers.Store].
package storetest

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"mcp-aggregator/modules/servers"
)

// contract is a conformance suite: tests of a new, empty store, named by what they require.
type contract[S any] map[string]func(t *testing.T, s S)

// run runs each test with a store of its own.
func (c contract[S]) run(t *testing.T, open func(t *testing.T) S) {
	t.Helper()
	for name, test := range c {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// merge returns the tests of all contracts.
func merge[S any](contracts ...contract[S]) contract[S] {
	all := contract[S]{}
	for _, c := range contracts {
		maps.Copy(all, c)
	}
	return all
}

// Run tests the stores that open opens, a new and empty one for each test, which open also
// closes.
func Run(t *testing.T, open func(t *testing.T) servers.Store) {
	t.Helper()
	merge(records(), updates(), tools(), histories(), concurrency(), modelBased()).run(t, open)
}

// OddText has characters that are often handled wrongly.
const OddText = "naïve 東京 👩‍👩‍👧 \u202eright\u202c \"q\" 'q' \\ % _ $1 ? \t\r\n -- ; \u2028"

// timeAt returns a time with the precision of stores.
func timeAt(second int) time.Time {
	return time.Date(2031, 2, 3, 4, 5, second, 678_901_000, time.UTC)
}

// fullServer returns a record with all fields set.
func fullServer(name string) servers.Server {
	return servers.Server{
		ID:          uuid.NewString(),
		Name:        name,
		Description: OddText,
		Transport:   servers.Stdio,
		Connection: servers.Connection{
			Command: "/bin/" + OddText, Args: []string{"", "${HOME}", "<&>", OddText},
			Env: map[string]string{"TOKEN": "${SECRET}", OddText: ""}, Cwd: "/tmp",
			URL: "https://example.com/?a=b&c", Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"},
		},
		AutoConnect: true, Wanted: true,
		HealthCheckURL: "https://example.com/health?" + OddText,
		Status:         servers.Degraded, ToolCount: 1 << 30, Error: OddText,
		LastHealthCheck: timeAt(1), RegisteredAt: timeAt(2), ConnectedAt: timeAt(3),
	}
}

// minimalServer returns a record with only the required fields.
func minimalServer(name string) servers.Server {
	return servers.Server{ID: uuid.NewString(), Name: name, Transport: servers.HTTP, Status: servers.Disconnected, RegisteredAt: timeAt(0)}
}

func create(t tb, s servers.Store, all ...servers.Server) {
	t.Helper()
	for _, one := range all {
		if err := s.Create(context.Background(), one); err != nil {
			t.Fatalf("create %s: %v", one.Name, err)
		}
	}
}

// tb is the part of *testing.T and *rapid.T that is used here.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

func storedServers(t tb, s servers.Store) []servers.Server {
	t.Helper()
	all, err := s.Servers(context.Background())
	if err != nil {
		t.Fatalf("servers: %v", err)
	}
	return all
}

// onlyServer returns the only record.
func onlyServer(t tb, s servers.Store) servers.Server {
	t.Helper()
	all := storedServers(t, s)
	if len(all) != 1 {
		t.Fatalf("%d records, want 1", len(all))
	}
	return all[0]
}

func update(t tb, s servers.Store, id string, change func(*servers.Server), events ...servers.Event) servers.Server {
	t.Helper()
	after, err := s.Update(context.Background(), id, func(r *servers.Server) error { change(r); return nil }, events...)
	if err != nil {
		t.Fatalf("update: %v", err)
	}
	return after
}

func replaceTools(t tb, s servers.Store, id string, tools ...servers.Tool) {
	t.Helper()
	if err := s.ReplaceTools(context.Background(), id, tools); err != nil {
		t.Fatalf("replace tools: %v", err)
	}
}

func storedTools(t tb, s servers.Store) []servers.Tool {
	t.Helper()
	tools, err := s.Tools(context.Background())
	if err != nil {
		t.Fatalf("tools: %v", err)
	}
	return tools
}

// namespaced returns the namespaced names of all tools.
func namespaced(t tb, s servers.Store) string {
	t.Helper()
	var names []string
	for _, tool := range storedTools(t, s) {
		names = append(names, tool.Namespaced)
	}
	return strings.Join(names, " ")
}

func history(t tb, s servers.Store, id string, limit int) []servers.Event {
	t.Helper()
	events, err := s.History(context.Background(), id, limit)
	if err != nil {
		t.Fatalf("history: %v", err)
	}
	return events
}

// tool returns a tool with that name.
func tool(name string) servers.Tool {
	return servers.Tool{Name: name, Definition: []byte(`{"name":"` + name + `"}`)}
}

// equal compares values, and ignores UpdatedAt of records.
func equal(t tb, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(servers.Server{}, "UpdatedAt")); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
}

// names returns the names of the records in order.
func names(all []servers.Server) string {
	var list []string
	for _, r := range all {
		list = append(list, r.Name)
	}
	return strings.Join(list, " ")
}
