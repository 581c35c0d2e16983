package service_test

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/app/service"
	"mcp-aggregator/app/toolsearch"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/testutil"
)

// answering is a server whose tools are not called as users say.
var answering = testutil.Raw{
	Tools: `[{"name":"alpha"},{"name":"beta"}]`,
	Handle: func(line, id string, out io.Writer) child.Exit {
		if strings.Contains(line, "refuse") {
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`, id)
		} else if strings.Contains(line, "tools/call") {
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`, id)
		}
		return ""
	},
}.Run

// looks has a caller search, as the doors do.
func (s *searching) looks(by toolsearch.Caller, query string) {
	s.t.Helper()
	if _, err := s.by.For(by).Search(s.t.Context(), search.Query{Text: query}); err != nil {
		s.t.Fatal(err)
	}
}

// overMCP searches and calls in a session of a client.
func (s *searching) overMCP(client, query, tool, arguments string) {
	s.t.Helper()
	c := s.connect(client, "{}")
	s.looks(toolsearch.Caller{Session: c.session, Principal: client + " at 127.0.0.1"}, query)
	c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`)
}

// overREST does so over REST.
func (s *searching) overREST(query, tool string) {
	s.t.Helper()
	s.looks(service.RESTCaller("127.0.0.1"), query)
	if status, text := s.rest("POST", "/tools/call", `{"name":"`+tool+`"}`); status != 200 {
		s.t.Fatal(status, text)
	}
}

// learned reports whether a search finds the tool by what was learned.
func (s *searching) learned(query, tool string) bool {
	s.t.Helper()
	names, legs := s.search(query)
	return slices.Contains(names, tool) && slices.Contains(legs, search.LegLearned)
}

func TestCallsTeachTheSearchAndItIsKept(t *testing.T) {
	for engine, database := range map[string]string{
		"SQLite": filepath.Join(t.TempDir(), "a.db"), "PostgreSQL": postgres.Database(t),
	} {
		t.Run(engine, func(t *testing.T) {
			s := startSearching(t, at(database))
			id := s.register("app", "STDIO", `{"command":"app"}`).ID
			s.await(id, "CONNECTED")
			s.indexed("beta")
			for range 3 {
				s.overMCP("ann", "sprint", "app.beta", "{}")
			}
			if s.learned("sprint", "app.beta") {
				t.Error("one client moves the ranking")
			}
			s.overMCP("bob", "the sprints", "app.beta", "{}")
			s.overMCP("ann", "roadmap", "app.alpha", "{}")
			s.overREST("roadmaps", "app.alpha")
			s.overMCP("ann", "velocity", "app.beta", `{"refuse":true}`)
			s.overREST("velocity", "app.beta")
			for n, change := range []func(*service.Options){nil, nil, func(o *service.Options) { o.NoLearning = true }, nil} {
				if n > 0 {
					s.stop()
					options := []func(*service.Options){at(database)}
					if change != nil {
						options = append(options, change)
					}
					s = startSearching(t, options...)
					s.await(id, "CONNECTED")
					s.indexed("beta")
				}
				if change != nil {
					s.overREST("burndown", "app.beta")
					s.overMCP("bob", "burndown", "app.beta", "{}")
					if s.learned("sprint", "app.beta") || s.learned("burndown", "app.beta") {
						t.Error("it learns though that is switched off")
					}
					continue
				}
				s.until("what was learned", func() bool { return s.learned("sprint", "app.beta") && s.learned("roadmap", "app.alpha") })
				if s.learned("velocity", "app.beta") || s.learned("burndown", "app.beta") {
					t.Errorf("start %d: it has learned from a refused call, or while that was switched off", n)
				}
			}
		})
	}
}
