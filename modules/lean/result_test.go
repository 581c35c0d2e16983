package lean_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"mcp-aggregator/modules/lean"
)

func TestASearchReturnsOneLinePerTool(t *testing.T) {
	t.Parallel()
	c := forge()
	c.tools[1].Risks = []string{"deletes\ndata", "", "\u202e"}
	c.tools[1].Score = 7
	c.tools[2].Score = math.NaN()
	got := read(t, call(t, c, `{"name":"search_tools","arguments":{"query":"issue"}}`).Result)
	want := `forge.create_issue(owner*: string, repo*: string, state: "open"|"closed" = "open", labels: string[]) - Opens an issue.
forge.delete_issue(number*: integer) - Deletes an issue. [destructive] [deletes data]
forge.list_issue() [read-only]`
	if got.IsError || got.text() != want {
		t.Errorf("got\n%s", got.text())
	}
	tools := []any{
		map[string]any{
			"name": "forge.create_issue", "summary": "Opens an issue.", "score": .5,
			"signature": `(owner*: string, repo*: string, state: "open"|"closed" = "open", labels: string[])`,
		},
		map[string]any{
			"name": "forge.delete_issue", "summary": "Deletes an issue.", "score": 1.0, "signature": `(number*: integer)`,
			"hints": []any{"destructive", "deletes data"},
		},
		map[string]any{"name": "forge.list_issue", "score": 0.0, "signature": `()`, "hints": []any{"read-only"}},
	}
	if !reflect.DeepEqual(got.Data["tools"], any(tools)) {
		t.Errorf("got %v", got.Data)
	}
}

func TestSearchArguments(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string][]any{
		`{"query":" issue "}`:                                {"issue", 8, []string(nil)},
		`{"query":"issue","limit":3,"servers":["forge"]}`:    {"issue", 3, []string{"forge"}},
		`{"query":"issue","limit":"3","servers":"forge"}`:    {"issue", 3, []string{"forge"}},
		`{"query":"issue","limit":1e9,"servers":null}`:       {"issue", 50, []string(nil)},
		`{"query":"issue","limit":0}`:                        {"issue", 8, []string(nil)},
		`"{\"query\":\"issue\"}"`:                            {"issue", 8, []string(nil)},
		`{"query":"issue","limit":{},"servers":[1,"forge"]}`: {"issue", 8, []string{"forge"}},
	} {
		t.Run(arguments, func(t *testing.T) {
			t.Parallel()
			c := forge()
			if got := read(t, call(t, c, `{"name":"search_tools","arguments":`+arguments+`}`).Result); got.IsError || !reflect.DeepEqual(c.searched, want) {
				t.Errorf("got %v, %+v", c.searched, got)
			}
		})
	}
}

func TestSearchesThatFindNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arguments, want string
		broken, isError bool
	}{
		"no such tool":        {arguments: `{"query":"fly"}`, want: `No tool matches "fly". Try other words: a verb and its object in English, such as "list files"; servers: forge`},
		"none of a server":    {arguments: `{"query":"fly","servers":["forge"]}`, want: `No tool matches "fly". Try other words: a verb and its object in English, such as "list files"; search all servers without the filter; servers: forge`},
		"an unknown server":   {arguments: `{"query":"issue","servers":["forge","gate","\u001b[x"]}`, want: `search_tools: no connected server is named gate, "[x"; servers: forge`, isError: true},
		"no query":            {arguments: `{}`, want: `search_tools needs a query that says what the tool should do, such as {"query": "create issue"}`, isError: true},
		"a query of 100 KB":   {arguments: `{"query":"` + strings.Repeat("x", 100<<10) + `"}`, want: `search_tools: the query is too long; at most 2000 bytes`, isError: true},
		"a search that fails": {arguments: `{"query":"issue"}`, broken: true, want: `search_tools: the index is not ready`, isError: true},
		"arguments of a list": {arguments: `["issue"]`, want: `search_tools needs a query that says what the tool should do, such as {"query": "create issue"}`, isError: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forge()
			f.broken = c.broken
			got := read(t, call(t, f, `{"name":"search_tools","arguments":`+c.arguments+`}`).Result)
			if got.IsError != c.isError || got.text() != c.want {
				t.Errorf("got  %t %s\nwant %t %s", got.IsError, got.text(), c.isError, c.want)
			}
		})
	}
}

func TestANameIsDescribedOnce(t *testing.T) {
	t.Parallel()
	got := read(t, call(t, forge(), `{"name":"describe_tools","arguments":{"names":["forge.delete_issue","none","forge.delete_issue","none"]}}`).Result)
	if lines := strings.Split(got.text(), "\n"); len(lines) != 2 || !strings.Contains(lines[0], `"forge.delete_issue"`) {
		t.Errorf("%q", lines)
	}
}

func TestLargeDefinitionsAreDescribedAlone(t *testing.T) {
	t.Parallel()
	large := func(name string) lean.Hit {
		return tool(name, `{"name":"x","description":"`+strings.Repeat("long ", 300_000)+`"}`)
	}
	c := &catalogue{tools: []lean.Hit{large("a"), large("b"), tool("c", `{"name":"c"}`)}}
	got := read(t, call(t, c, `{"name":"describe_tools","arguments":{"names":["a","b","c"]}}`).Result)
	lines := strings.Split(got.text(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], `{"name":"a"`) || lines[1] != `The definition of "b" is large: describe it alone` || lines[2] != `{"name":"c"}` {
		t.Errorf("%d lines, %.80q", len(lines), lines)
	}
	if got := read(t, call(t, c, `{"name":"describe_tools","arguments":{"names":["b"]}}`).Result); !strings.HasPrefix(got.text(), `{"name":"b"`) {
		t.Errorf("alone: %.80s", got.text())
	}
}

func TestDefinitionsAreDescribedAsWritten(t *testing.T) {
	t.Parallel()
	raw := call(t, forge(), `{"name":"describe_tools","arguments":{"names":["forge.delete_issue","forge.delete_isue","forge.list_issue"]}}`).Result
	for _, want := range []string{
		`{"name":"forge.delete_issue","description":"Deletes an issue.","inputSchema":{"type":"object",` +
			`"properties":{"number":{"type":"integer"}},"required":["number"]},"annotations":{"destructiveHint":true},"x":1.0e2}`,
		`"unknown":[{"name":"forge.delete_isue","nearest":["forge.create_issue","forge.delete_issue","forge.list_issue","forge.eval"]}]`,
	} {
		if !bytes.Contains(raw, []byte(want)) {
			t.Errorf("%s is not in %s", want, raw)
		}
	}
	got := read(t, raw)
	lines := strings.Split(got.text(), "\n")
	if got.IsError || len(lines) != 3 || !strings.HasPrefix(lines[1], `No tool is named "forge.delete_isue"; nearest: forge.create_issue, `) ||
		!strings.HasSuffix(lines[0], `"x":1.0e2}`) {
		t.Errorf("%t %q", got.IsError, lines)
	}
}

func TestInvalidDescribeCallsAreRejected(t *testing.T) {
	t.Parallel()
	c := forge()
	c.unlisted = "slow."
	for arguments, want := range map[string]string{
		`{}`:                     `describe_tools needs names of tools as returned by search_tools, such as {"names": ["server.tool"]}`,
		`{"names":[1]}`:          `describe_tools needs names of tools as returned by search_tools, such as {"names": ["server.tool"]}`,
		`{"names":["slow.x"]}`:   `The server of "slow.x" has no tools yet or cannot be reached`,
		`{"names":"\u001b[x\n"}`: `No tool is named "[x"; use search_tools to find tools`,
		`{"names":["a"` + strings.Repeat(`,"a"`, 20) + `]}`: `describe_tools: at most 20 names at once, not 21`,
	} {
		if got := read(t, call(t, c, `{"name":"describe_tools","arguments":`+arguments+`}`).Result); !got.IsError || got.text() != want {
			t.Errorf("%s: got %t %s\nwant %s", arguments, got.IsError, got.text(), want)
		}
	}
}

func TestDescribeTakesNamesAsClientsWriteThem(t *testing.T) {
	t.Parallel()
	c := &catalogue{tools: []lean.Hit{tool("a__b", "{\n\"n\\u0061me\":\"b\",\n\"x\":12345678901234567890}")}}
	raw := call(t, c, `{"name":"describe_tools","arguments":{"names":"a__b"}}`).Result
	if want := `{ "n\u0061me":"a__b", "x":12345678901234567890}`; !bytes.Contains(raw, []byte(`{"tools":[`+want+`]}`)) || read(t, raw).text() != want {
		t.Errorf("got %s", raw)
	}
}

func TestTheLineOfAToolIsBounded(t *testing.T) {
	t.Parallel()
	for name, schema := range hostileSchemas() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hit := tool("a.b", fmt.Sprintf(`{"name":"b","description":"%s","inputSchema":%s}`, strings.Repeat("word ", 10000), schema))
			got := read(t, call(t, &catalogue{tools: []lean.Hit{hit}}, `{"name":"search_tools","arguments":{"query":"a"}}`).Result)
			if len(got.text()) > 2500 || strings.Contains(got.text(), "\n") {
				t.Errorf("%d bytes: %.300s", len(got.text()), got.text())
			}
		})
	}
}
