package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcp-aggregator/testutil"
)

// searched is the answer to a search.
type searched struct {
	Tools []struct {
		Name, Description string
		OriginalName      string `json:"original_name"`
		Score             float64
		SourceServer      shown `json:"source_server"`
	}
	Metadata struct {
		Servers int     `json:"servers_searched"`
		Tools   int     `json:"total_tools_searched"`
		TookMS  float64 `json:"took_ms"`
		Legs    []string
	}
}

func (r searched) names() (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// search makes a search; more is further members of its body.
func (a api) search(query, more string) searched {
	a.t.Helper()
	return decode[searched](a.t, a.answered(http.StatusOK, http.MethodPost, "/search", `{"query":"`+query+`"`+more+`}`))
}

// untilFound waits until a search finds exactly these: the index follows the servers.
func (a api) untilFound(query, more string, want ...string) {
	a.t.Helper()
	a.until(fmt.Sprintf("%s finds %q", query, want), func() bool { return slices.Equal(a.search(query, more).names(), want) })
}

// topics are what the servers of tenServers are about.
var topics = []string{"apple", "birch", "cedar", "dahlia", "elder", "fern", "ginger", "hazel", "iris", "juniper"}

// tenServers have 100 tools each.
func tenServers() testutil.Spawner {
	programs := testutil.Spawner{}
	for i, topic := range topics {
		tools := []string{
			fmt.Sprintf(`{"name":"water_%s","description":"Waters the %s.","inputSchema":{"type":"object"}}`, topic, topic),
			`{"name":"bill","description":"Writes an invoice about what was bought in a year, a month or a week, by whom, and what for."}`,
		}
		if i == 1 || i == 8 {
			tools[1] = `{"name":"send_invoice","description":"Sends an invoice."}`
		}
		for n := len(tools); n < 100; n++ {
			tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"A tool of the garden, of the number %d."}`, n, n))
		}
		programs["s"+fmt.Sprint(i)] = testutil.Raw{Tools: "[" + strings.Join(tools, ",") + "]"}.Run
	}
	return programs
}

func TestSearchFindsTheToolsOfAllServers(t *testing.T) {
	programs := tenServers()
	s := start(t, programs)
	all := map[string]shown{}
	for name := range programs {
		all[name] = s.register(name, "STDIO", `{"command":"x"}`)
	}
	sum := 0
	for name, server := range all {
		all[name] = s.await(server.ID, "CONNECTED")
		sum += all[name].Tools
	}
	api := s.api()
	s.until("the index", func() bool { return api.search("garden", "").Metadata.Tools == 1000 })
	for _, criterion := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"AG-US2-AC1 all connected servers, AG-US2-AC6 of 1,000 tools", func(t *testing.T) {
			t.Helper()
			for i, topic := range topics {
				got := api.search("water the "+topic, "")
				if len(got.Tools) == 0 || got.Tools[0].Name != fmt.Sprintf("s%d.water_%s", i, topic) || got.Metadata.Servers != 10 || got.Metadata.TookMS <= 0 {
					t.Errorf("%s: %+v", topic, got)
				}
			}
		}},
		{"AG-US2-AC2 the source server, AG-US7-AC3 both names", func(t *testing.T) {
			t.Helper()
			got := api.search("cedar", "").Tools[0]
			want := all["s2"]
			if got.OriginalName != "water_cedar" || got.SourceServer.ID != want.ID || got.SourceServer.Name != "s2" || got.SourceServer.Status != "CONNECTED" {
				t.Errorf("%+v of %+v", got, want)
			}
		}},
		{"AG-US2-AC4 the filter limits", func(t *testing.T) {
			t.Helper()
			got := api.search("water", `,"server_filter":["s4","`+all["s6"].ID+`"]`)
			if !slices.Equal(got.names(), []string{"s4.water_elder", "s6.water_ginger"}) || got.Metadata.Servers != 2 || got.Metadata.Tools != 200 {
				t.Errorf("%+v", got)
			}
			api.answered(http.StatusUnprocessableEntity, http.MethodPost, "/search", `{"query":"water","server_filter":["s4","s44"]}`)
		}},
		{"AG-US2-AC5 the count is the sum", func(t *testing.T) {
			t.Helper()
			if got := api.search("garden", `,"limit":100`); got.Metadata.Tools != sum || sum != 1000 || len(got.Tools) != 100 {
				t.Errorf("%d of %d tools, %d found", got.Metadata.Tools, sum, len(got.Tools))
			}
		}},
		{"AG-US2-AC7 by relevance, not by server", func(t *testing.T) {
			t.Helper()
			want := []string{"s1.send_invoice", "s8.send_invoice", "s0.bill", "s2.bill", "s3.bill"}
			got := api.search("send an invoice", `,"limit":5`)
			if !slices.Equal(got.names(), want) {
				t.Errorf("%q, want %q", got.names(), want)
			}
			for i, tool := range got.Tools {
				if tool.Score <= 0 || tool.Score > 1 || i > 0 && tool.Score > got.Tools[i-1].Score {
					t.Errorf("%s has %v", tool.Name, tool.Score)
				}
			}
		}},
		{"AG-US2-AC3, AG-US6-AC4 not those of disconnected servers", func(t *testing.T) {
			t.Helper()
			api.answered(http.StatusOK, http.MethodPost, "/aggregator/servers/"+all["s3"].ID+"/disconnect", "")
			if got := api.search("dahlia", ""); len(got.Tools) > 0 {
				t.Errorf("%+v", got)
			}
			s.until("the index", func() bool { return api.search("garden", "").Metadata.Tools == 900 })
			if got := api.search("water", `,"server_filter":["s3"]`); len(got.Tools) > 0 || got.Metadata.Servers != 0 {
				t.Errorf("with a filter: %+v", got)
			}
		}},
		{"AG-US6-AC5 those of reconnected servers", func(*testing.T) {
			api.answered(http.StatusOK, http.MethodPost, "/aggregator/servers/"+all["s3"].ID+"/connect", "")
			api.untilFound("dahlia", "", "s3.water_dahlia")
		}},
		{"AG-US6-AC6 not those of removed servers", func(*testing.T) {
			api.answered(http.StatusNoContent, http.MethodDelete, "/aggregator/servers/"+all["s3"].ID, "")
			if got := api.search("dahlia", ""); len(got.Tools) > 0 {
				t.Errorf("%+v", got)
			}
		}},
	} {
		t.Run(criterion.name, func(t *testing.T) {
			api.t, s.t = t, t
			criterion.test(t)
		})
	}
	s.t = t
}

func TestSearchFollowsNamesAndDescriptions(t *testing.T) {
	child := testutil.NewManualChild(`[{"name":"x","description":"Reads the meter"}]`)
	s := start(t, testutil.Spawner{"a": child.Run, "b": withTools("y")})
	id := s.register("a", "STDIO", `{"command":"x"}`).ID
	s.register("b", "STDIO", `{"command":"x"}`)
	api := s.api()
	api.untilFound("meter", "", "a.x")
	change := func(body string) {
		t.Helper()
		api.answered(http.StatusOK, http.MethodPatch, "/aggregator/servers/"+id, body)
	}
	change(`{"description":"All about electricity"}`)
	api.untilFound("electricity", "", "a.x")
	change(`{"description":""}`)
	api.untilFound("electricity", "")

	change(`{"name":"grid","description":"The power station"}`)
	for _, name := range api.search("meter", "").names() {
		if name != "grid.x" { // it may be missing for a moment
			t.Errorf("right after it was renamed it is %s", name)
		}
	}
	for _, filter := range []string{id, "grid"} {
		api.untilFound("meter", `,"server_filter":["`+filter+`"]`, "grid.x")
	}
	api.untilFound("grid", "", "grid.x")
	api.untilFound("station", "", "grid.x")
	api.answered(http.StatusUnprocessableEntity, http.MethodPost, "/search", `{"query":"meter","server_filter":["a"]}`)

	child.SetTools(`[{"name":"x","description":"Reads the clock"}]`)
	child.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	api.untilFound("clock", "", "grid.x")
	api.untilFound("meter", "")
}

// The page's commands find a tool by curl; its others are parsed by the program's tests.
func TestTheDocumentedSearchesAreAnswered(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the commands are for bash and curl")
	}
	s := start(t, testutil.Spawner{"github": testutil.Raw{Tools: `[{"name":"create_issue","description":"Creates an issue."}]`}.Run})
	s.register("github", "STDIO", `{"command":"x"}`)
	s.api().untilFound("issue", "", "github.create_issue")
	page, err := os.ReadFile("../../docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## Search\n")
	commands := strings.ReplaceAll(block(t, section, "bash"), "http://127.0.0.1:8080", s.url)
	out, err := exec.CommandContext(t.Context(), "bash", "-ec", strings.ReplaceAll(commands, "curl ", "curl -sS --fail-with-body ")).CombinedOutput()
	if err != nil || bytes.Count(out, []byte("github.create_issue")) != 2 || !bytes.Contains(out, []byte("\n      \"explanation\": {\n")) {
		t.Errorf("%v: %s", err, out)
	}
}

func TestSearchStandsHostileTools(t *testing.T) {
	mega := strings.Repeat("word ", 1<<18)
	s := start(t, testutil.Spawner{"a": testutil.Raw{Tools: `[` +
		`{"name":"large","description":"Hostile ` + mega + `"},` +
		`{"name":"escaped","description":"Hostile \u001b[2J\u0000\u0007 screen"},` +
		`{"name":"reversed","description":"Hostile \u202egpj.exe\u202c\u200f"},` +
		`{"name":"hostile","inputSchema":{"type":"object","properties":{"` + strings.Repeat("p", 1<<16) + `":{"enum":["` + mega + `"]}}}},` +
		`{"name":"\u202ehostile\u0000","description":7,"inputSchema":[]}]`}.Run})
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	s.until("the index", func() bool { return s.api().search("hostile", "").Metadata.Tools == 5 })
	for _, detail := range []string{"compact", "full"} {
		text := s.api().answered(http.StatusOK, http.MethodPost, "/search", `{"query":"hostile","explain":true,"detail":"`+detail+`"}`)
		got := decode[searched](t, text)
		if len(got.Tools) != 5 {
			t.Errorf("%s: found %q", detail, got.names())
		}
		if limit := map[string]int{"compact": 16 << 10, "full": 3 << 20}[detail]; len(text) > limit {
			t.Errorf("%s: %d bytes", detail, len(text))
		}
		if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' }); i >= 0 {
			t.Errorf("%s: a control character in %q", detail, text[max(0, i-20):i+1])
		}
	}
	if got := s.api().search("hostile screen", "").Tools[0]; got.Description != "Hostile [2J screen" {
		t.Errorf("a description is %q", got.Description)
	}
	s.api().answered(http.StatusUnprocessableEntity, http.MethodPost, "/search", `{"query":"`+strings.Repeat("x", 100<<10)+`"}`)
	s.api().answered(http.StatusUnprocessableEntity, http.MethodGet, "/search?q="+strings.Repeat("x", 100<<10), "")
}

func TestSearchWhileServersComeAndGo(t *testing.T) {
	const searches, searchers = 1000, 8
	programs := tenServers()
	ids := map[string]string{}
	for name := range programs {
		ids[name] = ""
	}
	for i := 1; i <= 4; i++ { // these get another name
		programs[fmt.Sprintf("n%d", i)] = programs[fmt.Sprintf("s%d", i)]
	}
	s := start(t, programs)
	for name := range ids {
		ids[name] = s.register(name, "STDIO", `{"command":"x"}`).ID
	}
	for _, id := range ids {
		s.await(id, "CONNECTED")
	}
	s.until("the index", func() bool { return s.api().search("garden", "").Metadata.Tools == 1000 })
	var work sync.WaitGroup
	for i := range searchers {
		work.Go(func() {
			for n := i; n < searches; n += searchers {
				if err := steadySearch(s.url, n); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		work.Wait()
		close(done)
	}()
	changes := 0
	for goOn := true; goOn; changes++ {
		i := 1 + changes%4
		id := ids[fmt.Sprintf("s%d", i)]
		switch changes / 4 % 3 {
		case 0:
			s.api().answered(http.StatusOK, http.MethodPost, "/aggregator/servers/"+id+"/disconnect", "")
		case 1:
			s.api().answered(http.StatusOK, http.MethodPost, "/aggregator/servers/"+id+"/connect", "")
		default:
			name := fmt.Sprintf("%c%d", "ns"[changes/12%2], i)
			s.api().answered(http.StatusOK, http.MethodPatch, "/aggregator/servers/"+id, fmt.Sprintf(`{"name":%q,"description":"number %d"}`, name, changes))
		}
		select {
		case <-done:
			goOn = false
		default:
		}
	}
	t.Logf("%d changes", changes)
	for i := range 4 {
		id := ids[fmt.Sprintf("s%d", 1+i)]
		s.api().answered(http.StatusOK, http.MethodPost, "/aggregator/servers/"+id+"/connect", "")
		s.await(id, "CONNECTED")
	}
	s.until("the index", func() bool { return s.api().search("garden", "").Metadata.Tools == 1000 })
}

// steadySearch searches for a tool of a server that stays.
func steadySearch(address string, n int) error {
	i := 5 + n%5
	want := fmt.Sprintf("s%d.water_%s", i, topics[i])
	response, err := http.Get(address + "/api/v1/search?explain=true&q=" + url.QueryEscape("water the "+topics[i]))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var got searched
	if err := json.Unmarshal(text, &got); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s: %w", response.StatusCode, text, err)
	}
	if len(got.Tools) == 0 || got.Tools[0].Name != want {
		return fmt.Errorf("found %q, want %s first", got.names(), want)
	}
	for _, tool := range got.Tools {
		if tool.SourceServer.Status != "CONNECTED" || !strings.HasPrefix(tool.Name, tool.SourceServer.Name+".") {
			return fmt.Errorf("%+v", tool)
		}
	}
	return nil
}
