package search_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mcp-aggregator/modules/search"
)

func tool(server, own, description string) search.Tool {
	return search.Tool{Name: server + "." + own, OriginalName: own, Server: server, Description: description}
}

func find(t *testing.T, s *search.Snapshot, q search.Query) search.Results {
	t.Helper()
	results, err := s.Search(q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	return results
}

func names(r search.Results) []string {
	all := []string{}
	for _, h := range r.Hits {
		all = append(all, h.Name)
	}
	return all
}

func office() *search.Index {
	x := search.NewIndex(quiet())
	x.Replace("github", []search.Tool{
		tool("github", "create_issue", "Create an issue in a repository"),
		tool("github", "search_code", "Search the code of repositories"),
	})
	x.Replace("mail", []search.Tool{
		{
			Name: "mail.send", OriginalName: "send", Server: "mail", ServerID: "id-7", ServerTitle: "Postal Office", Description: "Send a letter",
			InputSchema: []byte(`{"properties":{"recipient":{"type":"string","description":"the address"},"urgency":{"enum":["express","slow"]}}}`),
		},
	})
	x.Replace("idle", nil)
	return x
}

func TestSearchFindsTools(t *testing.T) {
	tests := []struct {
		name  string
		query search.Query
		want  []string
	}{
		{"by a word of the name", search.Query{Text: "issue"}, []string{"github.create_issue"}},
		{"by another form of a word", search.Query{Text: "searching"}, []string{"github.search_code"}},
		{"by a word of the description", search.Query{Text: "letter"}, []string{"mail.send"}},
		{"by a parameter", search.Query{Text: "recipient"}, []string{"mail.send"}},
		{"by the description of a parameter", search.Query{Text: "address"}, []string{"mail.send"}},
		{"by a value that a parameter may have", search.Query{Text: "express"}, []string{"mail.send"}},
		{"by the server, equal scores sorted by name", search.Query{Text: "github"}, []string{"github.create_issue", "github.search_code"}},
		{"by the server's title", search.Query{Text: "postal"}, []string{"mail.send"}},
		{"by a synonym", search.Query{Text: "ticket"}, []string{"github.create_issue"}},
		{"despite a typo", search.Query{Text: "repositroy"}, []string{"github.create_issue", "github.search_code"}},
		{"up to the limit", search.Query{Text: "github", Limit: 1}, []string{"github.create_issue"}},
		{"of one server only", search.Query{Text: "send an issue", Servers: []string{"mail"}}, []string{"mail.send"}},
		{"of one server by its id", search.Query{Text: "send an issue", Servers: []string{"id-7"}}, []string{"mail.send"}},
		{"not for stop words", search.Query{Text: "what is the"}, []string{}},
		{"not by words that no tool contains", search.Query{Text: "xylophone"}, []string{}},
		{"not of a server without tools", search.Query{Text: "issue", Servers: []string{"idle"}}, []string{}},
	}
	snapshot := office().Snapshot()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, names(find(t, snapshot, tt.query))); diff != "" {
				t.Errorf("%+v: -want +got\n%s", tt.query, diff)
			}
		})
	}
}

func TestInvalidQueriesAreRejected(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       error
	}{
		{"an empty one", " \t", search.ErrEmptyQuery},
		{"one of 100 KB", strings.Repeat("issue ", 20_000), search.ErrQueryTooLong},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := office().Snapshot().Search(search.Query{Text: tt.text}); !errors.Is(err, tt.want) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
		})
	}
}

func TestTheTotalsCountWhatIsSearched(t *testing.T) {
	x := office()
	got := find(t, x.Snapshot(), search.Query{Text: "issue"})
	if got.ServersSearched != 3 || got.ToolsSearched != 3 {
		t.Errorf("searched %d servers, %d tools, want 3 and 3", got.ServersSearched, got.ToolsSearched)
	}
	x.Remove("github")
	got = find(t, x.Snapshot(), search.Query{Text: "issue"})
	if got.ServersSearched != 2 || got.ToolsSearched != 1 || len(got.Hits) > 0 {
		t.Errorf("without github: %+v", got)
	}
	x.Remove("nobody")
	if n := x.Snapshot().Len(); n != 1 {
		t.Errorf("%d tools are left", n)
	}
}

// The parts of an explanation add up to the score.
func TestAnExplanationAddsUp(t *testing.T) {
	snapshot := office().Snapshot()
	got := find(t, snapshot, search.Query{Text: "open a tikcet in the github repositroy", Explain: true})
	if len(got.Hits) != 2 || got.Hits[0].Name != "github.create_issue" {
		t.Fatalf("found %q", names(got))
	}
	for _, h := range got.Hits {
		sum := 0.
		for _, term := range h.Explanation.Terms {
			fields := 0.
			for _, f := range term.Fields {
				fields += f.Score
			}
			if !near(fields, term.Score) {
				t.Errorf("%s: the fields of %q are %v of %v", h.Name, term.Word, fields, term.Score)
			}
			sum += term.Score
		}
		if !near(sum, h.Score) || !near(h.Explanation.Legs[search.LegLexical], h.Score) || h.Score <= 0 || h.Score > 1 {
			t.Errorf("%s: %v is explained as %v", h.Name, h.Score, sum)
		}
	}
	terms := got.Hits[0].Explanation.Terms
	last := terms[len(terms)-1]
	if last.Word != "repositroy" || last.Term != "repository" || last.Match != search.Corrected {
		t.Errorf("the typo is explained as %+v", last)
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// An index after many changes equals one built at once.
func TestChangesLeaveNothingBehind(t *testing.T) {
	words := []string{"create", "issue", "file", "send", "mail", "weather", "GitHub", "検索する", "naïve", "x1y", ""}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "words"), " ")
		})
		changing, state := search.NewIndex(quiet()), map[string][]search.Tool{}
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			server := rapid.SampledFrom([]string{"a", "b", "mail", "d"}).Draw(t, "server")
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				changing.Remove(server)
				delete(state, server)
				continue
			}
			var tools []search.Tool
			for i := range rapid.IntRange(0, 4).Draw(t, "tools") {
				tools = append(tools, tool(server, fmt.Sprint("tool", i), text.Draw(t, "description")))
			}
			changing.Replace(server, tools)
			state[server] = tools
		}
		fresh := search.NewIndex(quiet())
		for server, tools := range state {
			fresh.Replace(server, tools)
		}
		q := search.Query{Text: text.Draw(t, "query") + " tool1", Limit: 100, Explain: true}
		got, err := changing.Snapshot().Search(q)
		if err != nil {
			t.Fatal(err)
		}
		want, err := fresh.Snapshot().Search(q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%+v: -fresh +changed\n%s", state, diff)
		}
	})
}

// Terms of replaced tools are eventually dropped.
func TestTheDictionaryDropsUnusedTerms(t *testing.T) {
	x := search.NewIndex(quiet())
	x.Replace("stays", []search.Tool{tool("stays", "permanent", "a permanent tool")})
	for round := range 20 {
		var text strings.Builder
		for i := range 1000 {
			fmt.Fprintf(&text, "w%dx%d ", round, i)
		}
		x.Replace("changes", []search.Tool{tool("changes", "volatile", text.String())})
		if got := names(find(t, x.Snapshot(), search.Query{Text: "permanently"})); !slices.Equal(got, []string{"stays.permanent"}) {
			t.Fatalf("round %d: found %q", round, got)
		}
		if got := find(t, x.Snapshot(), search.Query{Text: fmt.Sprintf("w%dx7", round)}); len(got.Hits) != 1 {
			t.Fatalf("round %d: the new word is not found", round)
		}
	}
	if n := x.Snapshot().Terms(); n > 15_000 {
		t.Errorf("the dictionary has %d terms after 20 replacements", n)
	}
}

func TestATooLongListIsCutWithOneWarning(t *testing.T) {
	var log strings.Builder
	x := search.NewIndex(slog.New(slog.NewTextHandler(&log, nil)))
	tools := make([]search.Tool, 100_000)
	for i := range tools {
		tools[i] = tool("huge", fmt.Sprintf("tool_%06d", i), "")
	}
	x.Replace("huge", tools)
	x.Replace("huge", tools)
	if n := x.Snapshot().Len(); n != search.MaxTools {
		t.Errorf("%d tools are indexed, want %d", n, search.MaxTools)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "server=huge tools=100000 indexed=20000") {
		t.Errorf("the log is %q", log.String())
	}
}

func TestHostileToolsAreIndexedWithinLimits(t *testing.T) {
	x := search.NewIndex(quiet())
	x.Replace("hostile", []search.Tool{
		{},
		{OriginalName: "control", Name: "control", Description: "a\x00b\x1b[31m needle \u202e reversed \xff\xfe"},
		{OriginalName: "long", Name: "long", Description: "needle " + strings.Repeat("word ", 200_000) + "farbehind"},
		{OriginalName: "run", Name: "run", Description: strings.Repeat("x", 1<<20)},
		{OriginalName: "deep", Name: "deep", InputSchema: []byte(strings.Repeat(`{"properties":{"a":`, 50_000))},
		{OriginalName: "wide", Name: "wide", InputSchema: []byte(`{"properties":{` + strings.Repeat(`"needle":{"description":"b"},`, 20_000) + `}}`)},
		{OriginalName: "vast", Name: "vast", InputSchema: []byte(`{"properties":{` + strings.Repeat(`"needle":{"description":"b"},`, 100_000) + `}}`)},
		{OriginalName: "nonsense", Name: "nonsense", InputSchema: []byte(`{"properties":[1,"` + "\xff")},
	})
	got := names(find(t, x.Snapshot(), search.Query{Text: "needle"}))
	slices.Sort(got)
	if want := []string{"control", "long", "wide"}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
	if got := names(find(t, x.Snapshot(), search.Query{Text: "farbehind"})); len(got) > 0 {
		t.Errorf("%q is found by a word after the first %d bytes", got, search.MaxText)
	}
}

func TestSearchesWhileServersComeAndGo(t *testing.T) {
	x := office()
	var changes, searches sync.WaitGroup
	for i := range 4 {
		changes.Go(func() {
			server := fmt.Sprint("server", i)
			for range 100 {
				x.Replace(server, []search.Tool{tool(server, "create_issue", "Create an issue"), tool(server, server, "other words of "+server)})
				x.Remove(server)
			}
		})
		searches.Go(func() {
			for range 200 {
				r, err := x.Snapshot().Search(search.Query{Text: "create an isue of server1", Explain: true, Limit: 100})
				if err != nil || len(r.Hits) == 0 || len(r.Hits) > r.ToolsSearched {
					t.Errorf("%v: %+v", err, r)
					return
				}
			}
		})
	}
	changes.Wait()
	searches.Wait()
	if diff := cmp.Diff(names(find(t, office().Snapshot(), search.Query{Text: "issue"})), names(find(t, x.Snapshot(), search.Query{Text: "issue"}))); diff != "" {
		t.Errorf("afterwards: -want +got\n%s", diff)
	}
}
