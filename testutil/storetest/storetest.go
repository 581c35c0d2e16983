// Package storetest is the conformance suite of [servers.Store]: what every engine
// has to do, each sentence of the contract.
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

// property is something that is true of each store.
type property func(t *testing.T, s servers.Store)

// Run holds the store that open opens, a new and empty one for each property,
// against the contract. open sees to its end.
func Run(t *testing.T, open func(t *testing.T) servers.Store) {
	t.Helper()
	for _, group := range []map[string]property{records(), updates(), tools(), histories(), concurrency(), modelBased()} {
		for name, holds := range group {
			t.Run(name, func(t *testing.T) { holds(t, open(t)) })
		}
	}
}

// OddText is a text of all that is odd and yet a text.
const OddText = "naïve 東京 👩‍👩‍👧 \u202eright\u202c \"q\" 'q' \\ % _ $1 ? \t\r\n -- ; \u2028"

// timeAt is a time as stores keep it.
func timeAt(second int) time.Time {
	return time.Date(2031, 2, 3, 4, 5, second, 678_901_000, time.UTC)
}

// fullServer is a record in which everything is set.
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

// minimalServer is a record in which as little as possible is set.
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

// tb is what *testing.T and *rapid.T have in common.
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

// onlyServer is the only record.
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

// namespaced are the namespaced names of all tools.
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

// tool is a tool of that name.
func tool(name string) servers.Tool {
	return servers.Tool{Name: name, Definition: []byte(`{"name":"` + name + `"}`)}
}

// equal compares records, but for when they were updated.
func equal(t tb, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(servers.Server{}, "UpdatedAt")); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
}

// names are the names of the records, in order.
func names(all []servers.Server) string {
	var list []string
	for _, r := range all {
		list = append(list, r.Name)
	}
	return strings.Join(list, " ")
}

// merge makes one table of several.
func merge(tables ...map[string]property) map[string]property {
	all := map[string]property{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
