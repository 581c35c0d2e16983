package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
)

const (
	listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	ping    = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
)

// connectAt returns a client with a session at another endpoint.
func (h *harness) connectAt(t *testing.T, path string) *testClient {
	t.Helper()
	return h.at(path).connectAs(t, "2025-11-25", "somebody", `{}`)
}

func TestEachEndpointListsItsTools(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", definitions())
	h.tools.ReplaceTools("other", definitions()[:1])
	h.profiles.set("servers", &gateway.Endpoint{Filter: registry.Filter{Servers: []string{"other"}}})
	h.profiles.set("patterns", &gateway.Endpoint{Filter: registry.Filter{Allow: []string{"*.t"}, Deny: []string{"other.*", "list_*"}}})
	h.profiles.set("nothing", &gateway.Endpoint{Filter: registry.Filter{Servers: []string{"none"}, Deny: []string{"*"}}})
	h.profiles.set("lean", &gateway.Endpoint{Lean: true, Pin: registry.Patterns{"srv.*", "*status"}, Filter: registry.Filter{Deny: []string{"*.t"}}})
	const three = "search_tools describe_tools call_tool"
	for path, want := range map[string][2]string{
		"/mcp":                   {"list_servers server_status srv.t srv.uA other.t", "list_servers server_status srv__t srv__uA other__t"},
		"/mcp/search":            {three, three},
		"/mcp/profiles/servers":  {"list_servers server_status other.t", "list_servers server_status other__t"},
		"/mcp/profiles/patterns": {"server_status srv.t", "server_status srv__t"},
		"/mcp/profiles/nothing":  {"", ""},
		"/mcp/profiles/lean":     {three + " server_status srv.uA", three + " server_status srv__uA"},
	} {
		for i, client := range []string{"somebody", "claude-ai"} {
			v := h.at(path).connectAs(t, "2025-11-25", client, `{}`)
			if got := toolNames(t, v.post(t, listing).body); got != want[i] {
				t.Errorf("%s, %s: %s, want %s", path, client, got, want[i])
			}
		}
	}
}

func TestPinnedDefinitionsAreThoseOfTheFullList(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", definitions())
	h.profiles.set("lean", &gateway.Endpoint{Lean: true, Pin: registry.Patterns{"srv.t"}})
	for client, want := range map[string]string{
		"somebody":  `{"name":"srv.t","inputSchema":{"type":"object","maximum":1e400},"x":[1.0,{"a":1,"a":2}]}`,
		"claude-ai": `{"name":"srv__t","inputSchema":{"type":"object","maximum":1e400},"x":[1.0,{"a":1,"a":2}]}`,
	} {
		for _, path := range []string{"/mcp", "/mcp/profiles/lean"} {
			mustContain(t, h.at(path).connectAs(t, "2025-11-25", client, `{}`).post(t, listing).body, want)
		}
	}
}

func TestAPathWithoutAnEndpointIsNotFound(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.profiles.set("work", &gateway.Endpoint{})
	for path, want := range map[string]string{
		"/mcp/profiles/home": `no profile is called "home": GET /api/v1/profiles lists them`,
		"/mcp/profiles/":     `no profile is called "": GET`,
		"/mcp/profiles":      `"/mcp/profiles" is no endpoint: use /mcp, /mcp/search or /mcp/profiles/NAME`,
		"/mcp/elsewhere":     `"/mcp/elsewhere" is no endpoint`,
		"/mcp/search/":       `"/mcp/search/" is no endpoint`,
		"/mcp/profiles/Work": `no profile is called "Work"`,
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			got := h.at(path).do(t, method, initialize("2025-11-25", "a", `{}`))
			if got.status != http.StatusNotFound || !strings.HasPrefix(got.body, want) {
				t.Errorf("%s %s: %+v", method, path, got)
			}
		}
	}
}

func TestASessionBelongsToItsEndpoint(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.profiles.set("a", &gateway.Endpoint{})
	h.profiles.set("b", &gateway.Endpoint{})
	paths := []string{"/mcp", "/mcp/search", "/mcp/profiles/a", "/mcp/profiles/b"}
	for _, path := range paths {
		v := h.connectAt(t, path)
		for _, other := range paths {
			if other == path {
				continue
			}
			foreign := &testClient{h, v.header, other}
			for _, body := range []string{ping, listing, call("1"), `{"jsonrpc":"2.0","id":1,"result":{}}`} {
				if got := foreign.post(t, body); got.status != http.StatusNotFound {
					t.Errorf("%s at %s: %+v", path, other, got)
				}
			}
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				if got := foreign.do(t, method, ""); got.status != http.StatusNotFound {
					t.Errorf("%s, %s at %s: %+v", path, method, other, got)
				}
			}
		}
		if got := v.post(t, ping); got.status != http.StatusOK {
			t.Errorf("%s, at its own: %+v", path, got)
		}
	}
}

func TestARemovedProfileEndsItsSessions(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{Coalesce: time.Millisecond})
	h.profiles.set("a", &gateway.Endpoint{})
	v := h.connectAt(t, "/mcp/profiles/a")
	stream := v.stream(t, http.MethodGet, "")
	open := make(chan struct{})
	h.handleCalls(func(ctx context.Context, _ router.Call) (*router.Answer, error) {
		close(open)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	answer := v.postAsync(t, call("1"))
	receive(t, "the call", open)
	h.profiles.set("a", nil)
	if got := v.post(t, ping); got.status != http.StatusNotFound {
		t.Errorf("%+v", got)
	}
	mustContain(t, receive(t, "the answer", answer).body, "the session has ended")
	if got := stream.nextEvent(t); got != "" {
		t.Error(got)
	}
	h.profiles.set("a", &gateway.Endpoint{})
	if got := v.post(t, ping); got.status != http.StatusNotFound {
		t.Errorf("with a new profile of that name: %+v", got)
	}
}

func TestAChangedProfileAppliesAtOnce(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{Coalesce: time.Millisecond})
	h.tools.ReplaceTools("srv", definitions())
	h.profiles.set("a", &gateway.Endpoint{})
	v := h.connectAt(t, "/mcp/profiles/a")
	stream := v.stream(t, http.MethodGet, "")
	for _, test := range []struct {
		endpoint gateway.Endpoint
		want     string
	}{
		{gateway.Endpoint{Filter: registry.Filter{Deny: []string{"srv.t"}}}, "list_servers server_status srv.uA"},
		{gateway.Endpoint{Lean: true}, "search_tools describe_tools call_tool"},
		{gateway.Endpoint{Lean: true, Pin: registry.Patterns{"srv.t"}}, "search_tools describe_tools call_tool srv.t"},
	} {
		h.profiles.set("a", &test.endpoint)
		if got := toolNames(t, v.post(t, listing).body); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	v.post(t, listing)
	h.profiles.set("a", &gateway.Endpoint{Filter: registry.Filter{Servers: []string{"none"}}})
	if got := stream.nextEvent(t); got != listChanged {
		t.Error(got)
	}
}

// What a profile hides must not be known to its clients.
func TestAProfileDoesNotTellOfWhatItHides(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.tools.ReplaceTools("srv", definitions())
	h.profiles.set("a", &gateway.Endpoint{Filter: registry.Filter{Servers: []string{"off"}}})
	h.profiles.set("b", &gateway.Endpoint{Filter: registry.Filter{Deny: []string{"off.*", "srv.t"}}})
	var query router.Query
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		query = call.Query
		return nil, &servers.UnknownToolError{Name: call.Query.Name}
	})
	for name, test := range map[string]struct{ hidden, shown, tools string }{
		"a": {"srv", "off", `"tool_count":0`},
		"b": {"off", "srv", `"tool_count":1`},
	} {
		v := h.connectAt(t, "/mcp/profiles/"+name)
		status := func(server string) string {
			return v.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"server_status","arguments":{"name":"`+server+`"}}}`).body
		}
		got := v.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_servers"}}`).body
		if strings.Contains(got, `"name":"`+test.hidden) || !strings.Contains(got, `"name":"`+test.shown) || !strings.Contains(got, test.tools) {
			t.Errorf("%s: %s", name, got)
		}
		mustContain(t, status(test.hidden), "there is no server "+test.hidden)
		mustContain(t, status(test.shown), `"structuredContent":{"name":"`+test.shown)
		v.post(t, call("1"))
		if query.Naming.MayOwn(test.hidden, test.hidden+".x") || !query.Naming.MayOwn(test.shown, test.shown+".x") {
			t.Errorf("%s: whose %s.x is shows", name, test.hidden)
		}
	}
}
