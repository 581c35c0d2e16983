package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/testutil"
)

// asks is a tool that reports progress, then asks its client both things that it can be
// asked.
//
//nolint:staticcheck // sampling is deprecated in 2026-07-28, not in the revisions spoken here
func asks(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(ctx context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for step := range 3 {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(step)})
		}
		schema := json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)
		name, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?", RequestedSchema: schema})
		if err != nil {
			return nil, nil, err
		}
		text, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 9, Messages: []*mcp.SamplingMessage{}})
		if err != nil {
			return nil, nil, err
		}
		said := fmt.Sprint(name.Content["name"], " ", text.Content.(*mcp.TextContent).Text)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: said}}}, nil, nil
	})
}

// leanService is a service with one server over each transport.
func leanService(t *testing.T, program testutil.Program, server *mcp.Server) (s *running, ids map[string]string) {
	t.Helper()
	url := overHTTP(t, server)
	s, ids = start(t, testutil.Spawner{"stdio": program}), map[string]string{}
	for transport, connection := range map[string]string{
		"STDIO": `{"command":"x"}`, "SSE": `{"url":"` + url + `/sse"}`, "HTTP": `{"base_url":"` + url + `/mcp"}`,
	} {
		name := strings.ToLower(transport)
		ids[name] = s.register(name, transport, connection).ID
	}
	for _, id := range ids {
		s.await(id, "CONNECTED")
	}
	return s, ids
}

func TestCallToolCarriesProgressAndQuestions(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "asking", Version: "1"}, nil)
	asks(server)
	s, ids := leanService(t, testutil.SDK(asks), server)
	other := s.hostAt("/mcp/search", "other", true)
	for name := range ids {
		able := s.hostAt("/mcp/search", "test", true)
		if got := able.result("call_tool", `{"name":"`+name+`.ask"}`); !strings.Contains(got, "Ada sampled") || able.asked.Load() != 2 {
			t.Errorf("%s: asked %d times: %s", name, able.asked.Load(), got)
		}
		c := s.connectAt("/mcp/search", "test", "{}")
		e := c.exchange(`{"jsonrpc":"2.0","id":"i","method":"tools/call","params":{"name":"call_tool","arguments":{"name":"` + name + `.ask"},"_meta":{"progressToken":"my token"}}}`)
		for step := range 3 {
			if line := e.next(); !strings.Contains(line, `"progressToken":"my token"`) || step > 0 && !strings.Contains(line, fmt.Sprintf(`"progress":%d`, step)) {
				t.Errorf("%s, step %d: %s", name, step, line)
			}
		}
		if line := e.next(); !strings.Contains(line, "the client does not support elicitation/create") {
			t.Errorf("%s, asked without the capability: %s", name, line)
		}
		e.close()
	}
	if n := other.asked.Load(); n != 0 {
		t.Errorf("another client is asked %d times", n)
	}
}

// searchDescription returns the description of search_tools.
func (h *host) searchDescription() string {
	h.t.Helper()
	for tool, err := range h.Tools(h.t.Context(), nil) {
		if err != nil {
			h.t.Fatal(err)
		}
		if tool.Name == "search_tools" {
			return tool.Description
		}
	}
	h.t.Fatal("there is no search_tools")
	return ""
}

func TestSearchToolsSaysWhatTheServersAreFor(t *testing.T) {
	long := strings.Repeat("all of it ", 100_000)
	raw := testutil.Raw{
		Initialize: `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1","title":"Ledgers","x":1},"instructions":"Keeps the books.\u202e ` + long + `"}`,
		Tools:      `[{"name":"x"}]`,
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "a", Version: "1", Title: "Parcels"}, nil)
	asks(server)
	s, ids := leanService(t, raw.Run, server)
	h := s.hostAt("/mcp/search", "test", false)
	text := h.searchDescription()
	for _, want := range []string{"\nhttp: Parcels", "\nsse: Parcels", "\nstdio: Keeps the books."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	status, answer := s.rest(http.MethodPatch, "/aggregator/servers/"+ids["http"], `{"description":"Stamps and letters"}`)
	if status != http.StatusOK {
		t.Fatal(answer)
	}
	<-h.changed
	if text := h.searchDescription(); !strings.Contains(text, "\nhttp: Stamps and letters") {
		t.Errorf("it says %q", text)
	}
	s.until("the server is found by its new description", func() bool {
		return strings.Contains(h.result("search_tools", `{"query":"letters"}`), "http.ask()")
	})
}

// forge has a tool with parameters.
func forge() testutil.Raw {
	return testutil.Raw{
		Tools: `[{"name":"create_issue","description":"Opens an issue.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}},` +
			`{"name":"delete_issue","description":"Deletes an issue."}]`,
		Handle: func(_, id string, out io.Writer) child.Exit {
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"isError":true}}`, id)
			return ""
		},
	}
}

func TestAClientFindsAndCallsToolsByTheNamesThatItAccepts(t *testing.T) {
	s := start(t, testutil.Spawner{"forge": forge().Run})
	s.await(s.register("forge", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	for client, name := range map[string]string{"test": "forge.create_issue", "claude-ai": "forge__create_issue"} {
		c := s.connectAt("/mcp/search", client, "{}")
		call := func(tool, arguments string) string {
			return c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`)
		}
		s.until("the tool is found", func() bool {
			return strings.Contains(call("search_tools", `{"query":"open issue"}`), name+"(title*: string) - Opens an issue.")
		})
		for what, got := range map[string]string{
			"described":        call("describe_tools", `{"names":["`+name+`"]}`),
			"wrong arguments":  call("call_tool", `{"name":"`+name+`"}`),
			"the same, direct": call(name, `{}`),
			"a wrong name":     call("call_tool", `{"name":"`+name+`s"}`),
		} {
			if !strings.Contains(got, name) {
				t.Errorf("%s, %s: %s", client, what, got)
			}
		}
	}
	full := s.connect("test", "{}")
	expect(t, full.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forge.create_issue"}}`),
		`{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`)
}

// profile implements gateway.Profiles with one.
type profile gateway.Endpoint

func (p profile) Endpoint(name string) (gateway.Endpoint, bool) {
	return gateway.Endpoint(p), name == "work"
}

func (profile) Subscribe(context.Context) <-chan struct{} { return nil }

func TestWhatAProfileHidesIsUnknown(t *testing.T) {
	filter := registry.Filter{Servers: []string{"forge", "other"}, Deny: []string{"forge.delete_*", "other.*"}}
	for mode, lean := range map[string]bool{"full": false, "lean": true} {
		t.Run(mode, func(t *testing.T) {
			s := &running{t: t}
			s.run(s.options(), testutil.Spawner{"forge": forge().Run, "other": forge().Run, "hidden": forge().Run},
				testutil.Replace[gateway.Profiles](profile{Filter: filter, Lean: lean}))
			for _, name := range []string{"forge", "other", "hidden"} {
				id := s.register(name, "STDIO", `{"command":"x"}`).ID
				s.await(id, "CONNECTED")
				if name != "forge" {
					s.rest(http.MethodPost, "/aggregator/servers/"+id+"/disconnect", "")
				}
			}
			c := s.connectAt("/mcp/profiles/work", "claude-ai", "{}")
			for _, tool := range []string{"forge__delete_issue", "forge.delete_issue", "other__create_issue", "hidden__create_issue", "none__create_issue"} {
				got := c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `"}}`)
				if want := `"message":"Unknown tool: ` + tool; !strings.Contains(got, want) || strings.Contains(got, "server") || strings.Contains(got, "nearest: forge__delete") {
					t.Errorf("%s: %s", tool, got)
				}
				got = c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"` + tool + `"}}}`)
				if lean && !strings.Contains(got, `No tool is named`) {
					t.Errorf("%s: %s", tool, got)
				}
			}
			if got := c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forge__create_issue"}}`); !strings.Contains(got, `"result":{"content":[`) {
				t.Errorf("what it shows: %s", got)
			}
		})
	}
}

func TestTheLeanEndpointIsGuardedLikeTheOther(t *testing.T) {
	s := start(t, testutil.Spawner{}, func(o *service.Options) { o.Token = "t0k3n" })
	for path, want := range map[string]int{"/mcp": 401, "/mcp/search": 401, "/mcp/profiles/x": 401, "/mcp/none": 401} {
		c := &mcpClient{t: t, url: s.url + path}
		response := c.post(t.Context(), `{}`)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %s", path, response.Status)
		}
	}
}
