package gateway_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
)

// leanTools are the definitions of two tools.
func leanTools() [][]byte {
	return [][]byte{
		[]byte(`{"name":"open","description":"Opens an issue.","inputSchema":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"],"additionalProperties":false}}`),
		[]byte(`{"name":"drop","description":"Drops a table."}`),
	}
}

// callOf returns a tools/call.
func callOf(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `,"_meta":{"progressToken":7}}}`
}

func TestTheThreeToolsAreCalled(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", leanTools())
	for client, open := range map[string]string{"somebody": "srv.open", "claude-ai": "srv__open"} {
		v := h.at("/mcp/search").connectAs(t, "2025-11-25", client, `{}`)
		var found string
		eventually(t, "the tool is indexed", func() bool {
			found = v.post(t, callOf("search_tools", `{"query":"open issue"}`)).body
			return strings.Contains(found, open)
		})
		mustContain(t, found, `{"type":"text","text":"`+open+`(title*: string) - Opens an issue."}`)
		mustContain(t, v.post(t, callOf("describe_tools", `{"names":["`+open+`"]}`)).body,
			`"structuredContent":{"tools":[`+strings.Replace(string(leanTools()[0]), `"open"`, `"`+open+`"`, 1)+`]}`)
		mustContain(t, v.post(t, callOf("describe_tools", `{"names":["list_servers"]}`)).body, `"title":"List servers"`)
		mustContain(t, v.post(t, callOf("call_tool", `{"name":"list_servers"}`)).body, `"structuredContent":{"servers":[{"name":"srv"`)
		mustContain(t, v.post(t, callOf("list_servers", `{}`)).body, `"structuredContent":{"servers":[{"name":"srv"`)
		mustContain(t, v.post(t, callOf("call_tool", `{"name":"srv.opne"}`)).body, "nearest: "+open)
		mustContain(t, v.post(t, callOf("call_tool", `{"name":"list_server"}`)).body, "nearest: list_servers")
	}
}

func TestAToolThatAProfileHidesIsNotPinned(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", leanTools())
	h.profiles.set("some", &gateway.Endpoint{Lean: true, Pin: registry.Patterns{"*"}, Filter: registry.Filter{Deny: []string{"srv.drop"}}})
	list := h.connectAt(t, "/mcp/profiles/some").post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).body
	mustContain(t, list, `{"name":"srv.open",`)
	if strings.Contains(list, "srv.drop") {
		t.Errorf("the list has the hidden tool: %s", list)
	}
}

func TestCallToolIsADirectCallOfTheTool(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", leanTools())
	var got router.Call
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		got = call
		return answerOf(`{"result": {"n":1e400, "a":1,"a":2},"id":0,"jsonrpc":"2.0"}`), nil
	})
	for client, name := range map[string]string{"somebody": "srv.open", "claude-ai": "srv__open"} {
		v := h.at("/mcp/search").connectAs(t, "2025-11-25", client, `{}`)
		for how, body := range map[string]string{
			"through call_tool": callOf("call_tool", `{"name":"`+name+`","arguments":{"title":"\u0061", "n":1.0}}`),
			"by its own name":   callOf(name, `{"title":"\u0061", "n":1.0}`),
		} {
			answer := v.post(t, body)
			if want := `{"result": {"n":1e400, "a":1,"a":2},"id":1,"jsonrpc":"2.0"}`; answer.body != want {
				t.Errorf("%s: %s", how, answer.body)
			}
			if want := callOf(name, `{"title":"\u0061", "n":1.0}`); string(got.Request.Line) != want || got.Query.Name != name {
				t.Errorf("%s: %s\nwant\n%s", how, got.Request.Line, want)
			}
		}
	}
}

func TestWrongArgumentsGetTheSchemaAtALeanEndpointOnly(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", leanTools())
	const failed = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`
	const advice = `,{"type":"text","text":"The arguments do not match the input schema of srv.open: title is missing. The schema: `
	h.handleCalls(func(context.Context, router.Call) (*router.Answer, error) { return answerOf(failed), nil })
	lean, full := h.connectAt(t, "/mcp/search"), h.connect(t)
	for how, body := range map[string]string{
		"through call_tool": callOf("call_tool", `{"name":"srv.open","arguments":{}}`),
		"by its own name":   callOf("srv.open", `{}`),
		"without arguments": strings.Replace(call("1"), "srv.t", "srv.open", 1),
	} {
		got := lean.post(t, body).body
		if want := strings.TrimSuffix(failed, `],"isError":true}}`) + advice; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", how, got)
		}
	}
	if got := lean.post(t, callOf("srv.open", `{"title":"a"}`)).body; got != failed {
		t.Errorf("arguments that fit: %s", got)
	}
	if got := full.post(t, callOf("srv.open", `{}`)).body; got != failed {
		t.Errorf("at the full endpoint: %s", got)
	}
	mustContain(t, lean.post(t, callOf("call_tool", `{"name":"srv.open","arguments":"{\"title\":\"a\"}"}`)).body, `"isError":true,"_meta":{"mcp-aggregator/notes":[`)
	mustContain(t, lean.post(t, callOf("call_tool", `{"name":"server_status","arguments":{}}`)).body, `name is missing. The schema: `)
}

func TestTheThreeToolsAreUnknownAtTheFullEndpoint(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		return nil, &servers.UnknownToolError{Name: call.Query.Name}
	})
	for path, want := range map[string]string{
		"/mcp":        `"message":"Unknown tool: search_tool"`,
		"/mcp/search": `"message":"Unknown tool: search_tool; nearest: search_tools"`,
	} {
		mustContain(t, h.connectAt(t, path).post(t, callOf("search_tool", `{}`)).body, want)
	}
	mustContain(t, h.connect(t).post(t, callOf("search_tools", `{"query":"a"}`)).body, "Unknown tool: search_tools")
}

// The server called off has no tools yet; whether it is to be waited for, the router says.
func TestACallOfAServerThatIsNotConnectedIsPassedOn(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		return nil, &servers.UnavailableError{Server: "off", Status: servers.Errored, Reason: "no"}
	})
	h.profiles.set("without", &gateway.Endpoint{Lean: true, Filter: registry.Filter{Servers: []string{"srv"}}})
	body := callOf("call_tool", `{"name":"off.x"}`)
	mustContain(t, h.connectAt(t, "/mcp/search").post(t, body).body, `"data":{"server":"off","status":"ERROR","reason":"no"}`)
	mustContain(t, h.connectAt(t, "/mcp/profiles/without").post(t, body).body, `No tool is named \"off.x\"; use search_tools`)
}

func TestABatchHasLeanCalls(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", leanTools())
	v := h.at("/mcp/search").connectAs(t, "2025-03-26", "somebody", `{}`)
	second := strings.Replace(callOf("call_tool", `{"name":"srv.drop"}`), `"id":1`, `"id":"b"`, 1)
	third := strings.Replace(callOf("search_tools", `{}`), `"id":1`, `"id":"c"`, 1)
	answers := events(v.post(t, "["+callOf("srv.drop", "{}")+","+second+","+third+"]").body)
	slices.Sort(answers)
	if len(answers) != 3 || answers[0] != `{"jsonrpc":"2.0","id":"b","result":{"content":[]}}` ||
		!strings.Contains(answers[1], "search_tools needs a query") || answers[2] != `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}` {
		t.Errorf("%q", answers)
	}
}

func TestALeanCallIsCancelled(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", leanTools())
	open, ended := make(chan struct{}), make(chan error, 1)
	h.handleCalls(func(ctx context.Context, _ router.Call) (*router.Answer, error) {
		close(open)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	v := h.connectAt(t, "/mcp/search")
	answer := v.postAsync(t, callOf("call_tool", `{"name":"srv.drop"}`))
	receive(t, "the call", open)
	v.post(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if _, ok := receive(t, "the end", ended).(*router.CancelledError); !ok { //nolint:errorlint // the cause itself
		t.Error("it is not told who cancelled")
	}
	if got := receive(t, "the answer", answer); got.status != http.StatusAccepted || got.body != "" {
		t.Errorf("%+v", got)
	}
}

func TestALeanListIsAnnouncedWhenItHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, gateway.Options{Coalesce: time.Second, KeepAlive: 100 * time.Hour, IdleTime: 1000 * time.Hour})
		h.tools.ReplaceTools("srv", leanTools())
		h.describe("srv", "Tables")
		h.profiles.set("pin", &gateway.Endpoint{Lean: true, Pin: registry.Patterns{"srv.drop"}})
		h.profiles.set("other", &gateway.Endpoint{Filter: registry.Filter{Servers: []string{"other"}}})
		time.Sleep(2 * time.Second)
		paths := []string{"/mcp", "/mcp/search", "/mcp/profiles/pin", "/mcp/profiles/other"}
		watchers := map[string]*watcher{}
		for _, path := range paths {
			watchers[path] = h.watchAt(path, h.serveAt(path, initialize("2025-11-25", "a", `{}`)).header.Get("Mcp-Session-Id"))
			watchers[path].takeOutput()
		}
		changed := func(what string, change func(), want ...string) {
			t.Helper()
			change()
			time.Sleep(2 * time.Second)
			for _, path := range paths {
				if told := watchers[path].takeOutput() != ""; told != slices.Contains(want, path) {
					t.Errorf("%s: %s is told: %t", what, path, told)
				}
			}
		}
		changed("the same tools again", func() { h.tools.ReplaceTools("srv", leanTools()) }, "/mcp")
		changed("another description of a tool", func() {
			h.tools.ReplaceTools("srv", [][]byte{[]byte(`{"name":"open","description":"Opens."}`), leanTools()[1]})
		}, "/mcp")
		changed("another description of a pinned tool", func() {
			h.tools.ReplaceTools("srv", [][]byte{leanTools()[0], []byte(`{"name":"drop","description":"Drops."}`)})
		}, "/mcp", "/mcp/profiles/pin")
		changed("the pinned tool goes", func() { h.tools.ReplaceTools("srv", leanTools()[:1]) }, "/mcp", "/mcp/profiles/pin")
		changed("a server comes", func() { h.tools.ReplaceTools("other", leanTools()) }, paths...)
		changed("a server is described", func() { h.describe("srv", "Issues and tables") }, "/mcp/search", "/mcp/profiles/pin")
		changed("the same description", func() { h.describe("srv", "Issues and tables") })
		changed("a profile changes", func() { h.profiles.set("pin", &gateway.Endpoint{Lean: true, Pin: registry.Patterns{"*"}}) }, "/mcp/profiles/pin")
		changed("a profile that shows the same", func() {
			h.profiles.set("other", &gateway.Endpoint{Filter: registry.Filter{Servers: []string{"other", "none"}}})
		})
		h.CloseStreams()
	})
}

// Nothing is asserted of the single answers but that there is one: the tools, the profile
// and the descriptions change meanwhile.
func TestLeanCallsWhileEverythingChanges(t *testing.T) {
	h := newHarness(t, gateway.Options{Coalesce: time.Millisecond})
	h.profiles.set("a", &gateway.Endpoint{Lean: true, Pin: registry.Patterns{"*"}})
	stop := make(chan struct{})
	var changes, clients sync.WaitGroup
	changes.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			h.tools.ReplaceTools("srv", leanTools()[:i%3])
			h.profiles.set("a", &gateway.Endpoint{Lean: i%2 == 0, Filter: registry.Filter{Deny: []string{strings.Repeat("x", i%5+1)}}})
			h.describe("srv", strings.Repeat("y", i%7))
		}
	})
	for _, path := range []string{"/mcp", "/mcp/search", "/mcp/profiles/a"} {
		for range 3 {
			clients.Go(func() {
				session := h.serveAt(path, initialize("2025-11-25", "claude-ai", `{}`)).header.Get("Mcp-Session-Id")
				for range 50 {
					for _, body := range []string{listing, callOf("search_tools", `{"query":"issue"}`), callOf("call_tool", `{"name":"srv.open"}`), callOf("srv__open", `{}`)} {
						if got := h.serve(h.requestAt(path, body, session)); got.status != http.StatusOK || !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","id":1,`) {
							t.Errorf("%s: %+v", path, got)
						}
					}
				}
			})
		}
	}
	clients.Wait()
	close(stop)
	changes.Wait()
}
