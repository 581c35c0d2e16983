package lean_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// catalogue is a lean.Catalogue of a few tools, which it searches by substrings of their
// names.
type catalogue struct {
	tools    []lean.Hit
	servers  []lean.Server
	unlisted string // prefix of names that may appear later
	broken   bool   // searches fail
	searched []any  // the arguments of the last search
}

func (c *catalogue) Search(_ context.Context, query string, limit int, servers []string) (hits []lean.Hit, err error) {
	c.searched = []any{query, limit, servers}
	if c.broken {
		return nil, errors.New("the index is\nnot ready")
	}
	for _, hit := range c.tools {
		if strings.Contains(hit.Name, query) {
			hits = append(hits, hit)
		}
	}
	return hits, nil
}

func (c *catalogue) Lookup(name string) (lean.Tool, lean.Presence) {
	for _, hit := range c.tools {
		if hit.Name == name {
			return hit.Tool, lean.Listed
		}
	}
	if c.unlisted != "" && strings.HasPrefix(name, c.unlisted) {
		return lean.Tool{}, lean.Unlisted
	}
	return lean.Tool{}, lean.Absent
}

func (c *catalogue) Nearest(name string) (names []string) {
	for _, hit := range c.tools {
		if hit.Name[:4] == (name + "    ")[:4] {
			names = append(names, hit.Name)
		}
	}
	return names
}

func (c *catalogue) Servers() []lean.Server { return c.servers }

// tool returns a hit for a definition under a public name.
func tool(name, definition string) lean.Hit {
	return lean.Hit{Tool: lean.Tool{Name: name, Definition: []byte(definition)}, Score: .5}
}

// forge returns a catalogue with one server for issues.
func forge() *catalogue {
	return &catalogue{
		tools: []lean.Hit{
			tool("forge.create_issue", `{"name":"create_issue","description":"Opens an issue. It is shown to all.","inputSchema":{"type":"object",`+
				`"properties":{"owner":{"type":"string"},"repo":{"type":"string"},"state":{"enum":["open","closed"],"default":"open"},`+
				`"labels":{"type":"array","items":{"type":"string"}}},"required":["owner","repo"]},"annotations":{"destructiveHint":false}}`),
			tool("forge.delete_issue", `{"name":"delete_issue","description":"Deletes an issue.","inputSchema":{"type":"object",`+
				`"properties":{"number":{"type":"integer"}},"required":["number"]},"annotations":{"destructiveHint":true},"x":1.0e2}`),
			tool("forge.list_issue", `{"name":"list_issue","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`),
			tool("forge.eval", `{"name":"eval","inputSchema":{"type":"object","properties":{"arguments":{"type":"object"}}}}`),
		},
		servers: []lean.Server{{Name: "forge", Description: "Issues of all projects.", Tools: 4}},
	}
}

// call returns the outcome of a tools/call with the given params.
func call(tb testing.TB, c lean.Catalogue, params string) lean.Outcome {
	tb.Helper()
	name, _ := wire.Unquote(wire.Member([]byte(params), "name").Of([]byte(params)))
	return lean.Call(tb.Context(), c, name, []byte(params))
}

// toolResult is a result as decoded by a client.
type toolResult struct {
	Content []struct{ Type, Text string }
	IsError bool
	Data    map[string]any `json:"structuredContent"`
}

func (r toolResult) text() string {
	var all []string
	for _, block := range r.Content {
		all = append(all, block.Text)
	}
	return strings.Join(all, "\n")
}

// read decodes a result, which must be one line of JSON.
func read(tb testing.TB, raw []byte) (r toolResult) {
	tb.Helper()
	if err := json.Unmarshal(raw, &r); err != nil || slices.Contains(raw, '\n') {
		tb.Fatalf("not a result on one line: %v: %s", err, raw)
	}
	return r
}

// tokens estimates the number of tokens at four bytes each.
func tokens(bytes int) int { return (bytes + 3) / 4 }
