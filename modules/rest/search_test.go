package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

const searchPath = "/api/v1/search"

// indexed returns the tool of a definition, as the follower of the registry indexes it.
func indexed(server servers.Server, definition string) search.Tool {
	text := func(name string) string {
		s, _ := wire.Unquote(wire.Member([]byte(definition), name).Of([]byte(definition)))
		return s
	}
	return search.Tool{
		Name: server.Name + "." + text("name"), OriginalName: text("name"), Title: text("title"), Description: text("description"),
		Server: server.Name, ServerID: server.ID, Definition: []byte(definition),
		InputSchema: wire.Member([]byte(definition), "inputSchema").Of([]byte(definition)),
	}
}

const createIssue = `{"name":"create_issue","description":"Creates an issue. Say \u0022why\u0022.\nAnd how.",` +
	`"inputSchema":{ "type":"object","properties":{"title":{"type":"string"},"n":{"type":"number","maximum":1.0e400}},"required":["title"]},` +
	`"annotations":{ "destructiveHint":false,"own":1.0},"outputSchema":{ "type":"object" }}`

func indexedTools() []search.Tool {
	return []search.Tool{
		indexed(github(), createIssue),
		indexed(github(), `{"name":"list_commits","title":"The history of a branch. All of it."}`),
		indexed(github(), `{"name":"a/b c","description":7,"annotations":"issue"}`),
	}
}

// found is the answer to a search.
type found struct {
	Query string
	Tools []struct {
		ID, Name, Description, Signature string
		OriginalName                     string `json:"original_name"`
		Score                            float64
		SourceServer                     struct{ ID, Name, Status string } `json:"source_server"`
		SkillIDs                         []string                          `json:"skill_ids"`
		Annotations                      json.RawMessage
		Explanation                      *struct {
			Legs  map[string]float64
			Terms []struct {
				Word, Term, Match string
				Score             float64
				Fields            []struct {
					Field string
					Score float64
				}
			}
		}
	}
	Metadata struct {
		ServersSearched int `json:"servers_searched"`
		ToolsSearched   int `json:"total_tools_searched"`
		Legs            []string
	}
}

// find makes a search that is valid.
func (f *fakes) find(tb testing.TB, body string) (r found, text string) {
	tb.Helper()
	got := f.request(tb, http.MethodPost, searchPath, body, nil)
	if got.status != http.StatusOK {
		tb.Fatalf("%s: %d %s", body, got.status, got.body)
	}
	if err := json.Unmarshal([]byte(got.body), &r); err != nil {
		tb.Fatal(err)
	}
	return r, got.body
}

func (r found) names() (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

func TestASearchShowsWhatIsNeededToCall(t *testing.T) {
	f := newFakes()
	r, text := f.find(t, `{"query":"create an issue"}`)
	if want := []string{"github.create_issue"}; !slices.Equal(r.names(), want) {
		t.Fatalf("found %q, want %q", r.names(), want)
	}
	got := r.Tools[0]
	if got.ID != githubID+":create_issue" || got.OriginalName != "create_issue" || got.SkillIDs == nil || got.Score <= 0 || got.Score > 1 {
		t.Errorf("%+v", got)
	}
	if want := (struct{ ID, Name, Status string }{githubID, "github", "CONNECTED"}); got.SourceServer != want {
		t.Errorf("the server is %+v, want %+v", got.SourceServer, want)
	}
	if got.Description != "Creates an issue." || got.Signature != "(title*: string, n: number)" {
		t.Errorf("described as %q with %q", got.Description, got.Signature)
	}
	if r.Query != "create an issue" || r.Metadata.ServersSearched != 2 || r.Metadata.ToolsSearched != 4 || !slices.Equal(r.Metadata.Legs, []string{"lexical"}) {
		t.Errorf("%+v", r)
	}
	for _, part := range []string{`"annotations":{ "destructiveHint":false,"own":1.0}`, `"primary_skill_id":null`, `"took_ms":`} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s: %s", part, text)
		}
	}
	for _, part := range []string{"input_schema", "output_schema", "explanation"} {
		if strings.Contains(text, part) {
			t.Errorf("%s: %s", part, text)
		}
	}
}

func TestAFullResultHasWhatTheServerWrote(t *testing.T) {
	f := newFakes()
	_, text := f.find(t, `{"query":"create an issue","detail":"full"}`)
	for _, part := range []string{
		`"description":"Creates an issue. Say \u0022why\u0022.\nAnd how."`, `"annotations":{ "destructiveHint":false,"own":1.0}`,
		`"input_schema":{ "type":"object","properties":{"title":{"type":"string"},"n":{"type":"number","maximum":1.0e400}},"required":["title"]}`,
		`"output_schema":{ "type":"object" }`,
	} {
		if strings.Count(text, part) != 1 {
			t.Errorf("not one %s: %s", part, text)
		}
	}
	r, _ := f.find(t, `{"query":"commits branch","detail":"full"}`)
	if got := r.Tools[0]; got.Description != "" {
		t.Errorf("it has a description: %q", got.Description)
	}
	r, _ = f.find(t, `{"query":"commits branch"}`)
	if got := r.Tools[0]; got.Description != "The history of a branch." || got.Signature != "()" {
		t.Errorf("without a description it is %q with %q", got.Description, got.Signature)
	}
}

func TestAnExplanationAddsUpToTheScore(t *testing.T) {
	r, _ := newFakes().find(t, `{"query":"ticket creat comit","explain":true}`)
	matches := map[string]string{}
	for _, tool := range r.Tools {
		sum, terms := 0., 0.
		for _, part := range tool.Explanation.Legs {
			sum += part
		}
		for _, term := range tool.Explanation.Terms {
			matches[term.Word+" "+term.Term] = term.Match
			terms += term.Score
			fields := 0.
			for _, f := range term.Fields {
				fields += f.Score
			}
			if !near(fields, term.Score) {
				t.Errorf("%s: the fields of %s give %v, not %v", tool.Name, term.Word, fields, term.Score)
			}
		}
		if !near(sum, tool.Score) || !near(terms, tool.Explanation.Legs["lexical"]) {
			t.Errorf("%s: %v is not %v and %v", tool.Name, tool.Score, sum, terms)
		}
	}
	for pair, match := range map[string]string{"ticket issue": "synonym", "comit commits": "corrected"} {
		if matches[pair] != match {
			t.Errorf("%s is %q, want %q: %v", pair, matches[pair], match, matches)
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// The index is a moment behind the records, which the client has seen.
func TestASearchShowsServersAsTheyAre(t *testing.T) {
	f := newFakes()
	if r, _ := f.find(t, `{"query":"issue magazine"}`); !slices.Equal(r.names(), []string{"github.create_issue"}) {
		t.Errorf("with a server that is not connected: %q", r.names())
	}
	f.servers.ServerFn = func(id string) (servers.Server, error) {
		s := github()
		s.ID, s.Name, s.Status = id, "renamed", servers.Degraded
		return s, nil
	}
	r, _ := f.find(t, `{"query":"create"}`)
	if got := r.Tools[0]; got.Name != "renamed.create_issue" || got.SourceServer.Name != "renamed" || got.SourceServer.Status != "DEGRADED" {
		t.Errorf("renamed, it is %+v", got)
	}
	f.servers.ServerFn = func(string) (servers.Server, error) { return servers.Server{}, servers.ErrUnknown }
	if r, text := f.find(t, `{"query":"create"}`); len(r.Tools) > 0 || !strings.Contains(text, `"tools":[]`) {
		t.Errorf("of a server that was removed: %s", text)
	}
}

func TestASearchIsLimitedToItsFilter(t *testing.T) {
	f := newFakes()
	f.servers.ServerFn = func(id string) (servers.Server, error) {
		s := map[string]servers.Server{githubID: github(), filesID: files()}[id]
		s.Status = servers.Connected
		return s, nil
	}
	for name, test := range map[string]struct {
		body           string
		want           []string
		servers, tools int
	}{
		"no filter":                 {`{"query":"issue"}`, []string{"github.create_issue", "files.read"}, 2, 4},
		"an empty one":              {`{"query":"issue","server_filter":[]}`, []string{"github.create_issue", "files.read"}, 2, 4},
		"a name":                    {`{"query":"issue","server_filter":["files"]}`, []string{"files.read"}, 1, 1},
		"an id":                     {`{"query":"issue","server_filter":["` + filesID + `"]}`, []string{"files.read"}, 1, 1},
		"both, and one twice":       {`{"query":"issue","server_filter":["` + githubID + `","files","github"]}`, []string{"github.create_issue", "files.read"}, 2, 4},
		"the best alone":            {`{"query":"issue","limit":1}`, []string{"github.create_issue"}, 2, 4},
		"nothing that is connected": {`{"query":"issue","include_external":false}`, nil, 0, 0},
		"words that no tool has":    {`{"query":"xyzzyx"}`, nil, 2, 4},
		"words that mean nothing":   {`{"query":"how do I the"}`, nil, 2, 4},
	} {
		r, text := f.find(t, test.body)
		if !slices.Equal(r.names(), test.want) || r.Metadata.ServersSearched != test.servers || r.Metadata.ToolsSearched != test.tools {
			t.Errorf("%s: %s", name, text)
		}
	}
	f.search.Remove("files")
	if r, text := f.find(t, `{"query":"issue","server_filter":["files"]}`); len(r.Tools) > 0 || r.Metadata.ServersSearched > 0 {
		t.Errorf("of a server that is not connected: %s", text)
	}
}

func TestSearchesThatAreInvalid(t *testing.T) {
	f := newFakes()
	const unknown = `is unknown: no server has the name or the id "nobody"`
	long := strings.Repeat("x", 100<<10)
	many := `{"query":"x","server_filter":["github"` + strings.Repeat(`,""`, 1000) + `]}`
	for body, want := range map[string]map[string]string{
		`{}`:                        {"/query": "is empty: say what the tool is to do"},
		`{"query":" \n"}`:           {"/query": "is empty: say what the tool is to do"},
		`{"query":7}`:               {"/query": "is a number: make it a string"},
		`{"query":"` + long + `"}`:  {"/query": "is longer than 8 KiB: shorten it"},
		`{"query":"x","limit":0}`:   {"/limit": "must be a number from 1 to 100"},
		`{"query":"x","limit":101}`: {"/limit": "must be a number from 1 to 100"},
		`{"query":"x","limit":99999999999999999999}`:        {"/limit": "must be a number from 1 to 100"},
		`{"query":"x","limit":1.5}`:                         {"/limit": "is a number: make it an integer"},
		`{"query":"x","limit":"5"}`:                         {"/limit": "is a string: make it an integer"},
		`{"query":"x","detail":"all"}`:                      {"/detail": "is unknown: use compact or full"},
		`{"query":"x","server_filter":["github","nobody"]}`: {"/server_filter/1": unknown},
		`{"query":"","server_filter":["nobody",3],"limit":-1}`: {
			"/query": "is empty: say what the tool is to do", "/limit": "must be a number from 1 to 100",
			"/server_filter/0": unknown, "/server_filter/1": "is a number: make it a string",
		},
		`{"query":"x","skill_filter":["a"]}`: {"/skill_filter": "is unknown: use detail, explain, include_external, limit, query, server_filter"},
		many:                                 {"/server_filter": "has more than 1000 servers: leave some out"},
		"?":                                  {"q": "is empty: say what the tool is to do"},
		"?q=" + long:                         {"q": "is longer than 8 KiB: shorten it"},
		"?q=x&limit=":                        {"limit": "must be a number from 1 to 100"},
		"?q=x&explain=yes&limit=1000":        {"explain": "is unknown: use true or false", "limit": "must be a number from 1 to 100"},
		"?q=x&server=github,nobody&server=nobody": {"server": unknown},
		"?q=x&q=y": {"q": "appears twice: give one"},
		"?query=x": {"query": "is unknown: use q, server, limit, explain"},
	} {
		method, path := http.MethodPost, searchPath
		if strings.HasPrefix(body, "?") {
			method, path, body = http.MethodGet, searchPath+body, ""
		}
		got := f.request(t, method, path, body, nil)
		if got.status != http.StatusUnprocessableEntity {
			t.Errorf("%.100s%.100s: %d %.300s", path, body, got.status, got.body)
			continue
		}
		faults := map[string]string{}
		for _, fault := range get(t, got.body, "errors").([]any) {
			where, _ := fault.(map[string]any)["pointer"].(string)
			if method == http.MethodGet {
				where, _ = fault.(map[string]any)["parameter"].(string)
			}
			faults[where] = fault.(map[string]any)["detail"].(string)
		}
		if fmt.Sprint(faults) != fmt.Sprint(want) {
			t.Errorf("%.100s%.100s: %v, want %v", path, body, faults, want)
		}
	}
}

func TestBothMethodsGiveTheSame(t *testing.T) {
	f := newFakes()
	query := url.Values{"q": {"create"}, "server": {"files,github"}, "limit": {"3"}, "explain": {"true"}}
	got := f.request(t, http.MethodGet, searchPath+"?"+query.Encode(), "", nil)
	if !strings.HasPrefix(got.body, "{\n  \"query\": \"create\",\n") || !strings.HasSuffix(got.body, "\n}\n") {
		t.Errorf("it is not for people: %s", got.body)
	}
	_, want := f.find(t, `{"query":"create","server_filter":["files","github"],"limit":3,"explain":true}`)
	for _, member := range []string{"query", "tools"} {
		if a, b := fmt.Sprint(get(t, got.body, member)), fmt.Sprint(get(t, want, member)); a != b {
			t.Errorf("%s\n%s, want\n%s", member, a, b)
		}
	}
}

// What a server writes costs a search no more than that of others.
func TestHostileDefinitionsAreFoundAndBounded(t *testing.T) {
	mega := strings.Repeat("x", 1<<20)
	for name, test := range map[string]struct{ members, want string }{
		"a megabyte":                {`,"description":"` + strings.Repeat(`word `, 1<<18) + `"`, "word word"},
		"a megabyte without blanks": {`,"description":"` + mega + `"`, "xxx"},
		"a megabyte of escapes":     {`,"description":"` + strings.Repeat(`\\`, 1<<19) + `"`, `\\`},
		"an escape where it is cut": {`,"description":"Ab. ` + strings.Repeat(`\u0041`, 1<<17) + `"`, "Ab."},
		"control characters":        {`,"description":"Clears\u001b[2J the\u0000 screen.\u0007"`, "Clears [2J the screen."},
		"right to left":             {`,"description":"Reads \u202egpj.exe\u202c."`, "Reads gpj.exe."},
		"no description":            {``, ""},
		"a description of null":     {`,"description":null,"title":"T"`, "T"},
		"many annotations":          {`,"description":"D","annotations":{"own":"` + mega + `"}`, "D"},
		"a schema of a megabyte":    {`,"description":"D","inputSchema":{"type":"object","description":"` + mega + `"}`, "D"},
		"a schema that is a string": {`,"description":"D","inputSchema":"` + mega + `"`, "D"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			definition := `{"name":"hostile"` + test.members + `}`
			f.search.Replace("github", []search.Tool{indexed(github(), definition)})
			r, text := f.find(t, `{"query":"hostile","explain":true}`)
			if len(r.Tools) != 1 || !strings.HasPrefix(r.Tools[0].Description, test.want) {
				t.Fatalf("want %q: %.1000s", test.want, text)
			}
			if len(text) > 16<<10 {
				t.Errorf("%d bytes: %.1000s", len(text), text)
			}
			_, full := f.find(t, `{"query":"hostile","detail":"full"}`)
			if !json.Valid([]byte(full)) || len(full) > len(definition)+4<<10 {
				t.Errorf("in full %d bytes of a definition of %d", len(full), len(definition))
			}
		})
	}
}
