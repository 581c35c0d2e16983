package service_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// realService starts a service with all real servers connected.
type realService struct {
	*running

	servers thirdPartyServers
	direct  map[string]*host // clients of the servers themselves
	ids     map[string]string
}

// This is one test, because starting the servers takes most of the time.
func TestRealServers(t *testing.T) {
	servers := realServers(t)
	r := &realService{start(t, nil, withProcesses), servers, map[string]*host{}, map[string]string{}}
	for name, b := range servers {
		r.ids[name] = r.register(name, b.transport, b.connection).ID
	}
	for name, b := range servers {
		r.direct[name] = b.directly(t)
	}
	for _, id := range r.ids {
		r.await(id, "CONNECTED")
	}
	for _, step := range []struct {
		what string
		then func(*realService)
	}{
		{"every tool is listed once", (*realService).everyToolOnce},
		{"results are the same on every way", (*realService).sameResults},
		{"progress comes in order, before the result", (*realService).progressInOrder},
		{"the client that calls is asked", (*realService).callerIsAsked},
		{"a client that cannot be asked is not", (*realService).unableIsNotAsked},
		{"the three tools reach every other", (*realService).threeTools},
		{"clients with narrow rules have names of their own", (*realService).ownNames},
		{"clients hear of servers that come and go", (*realService).comeAndGo},
		{"a server is renamed", (*realService).renamed},
		{"a server is removed", (*realService).removed},
	} {
		t.Run(step.what, func(t *testing.T) {
			step.then(&realService{&running{t: t, url: r.url}, r.servers, r.direct, r.ids})
		})
	}
}

// everyToolOnce compares the list with those of the servers themselves, some of which
// offer more tools after initialize.
func (r *realService) everyToolOnce() {
	t := r.t
	var want []string
	for name, h := range r.direct {
		if strings.HasPrefix(name, "js-") {
			r.until("the tools that depend on the client", func() bool { return slices.Contains(h.names(), "trigger-sampling-request") })
		}
		for _, tool := range h.names() {
			want = append(want, name+"."+tool)
		}
	}
	slices.Sort(want)
	r.until("all tools over REST", func() bool { return len(r.api().listed()) >= len(want) })
	got := r.api().listed()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("over REST\n%q, want\n%q", got, want)
	}
	if got := r.host("test", true).names(); !slices.Equal(got, want) {
		t.Errorf("through /mcp\n%q, want\n%q", got, want)
	}
}

var sameCalls = map[string][]struct{ tool, arguments string }{
	"js": {
		{"echo", `{"message":"ö<&>\u2028"}`},
		{"get-sum", `{"a":2,"b":40}`},
		{"get-sum", `{"a":"no number"}`},
		{"get-structured-content", `{"location":"New York"}`},
		{"get-tiny-image", `{}`},
		{"get-annotated-message", `{"messageType":"error","includeImage":true}`},
		{"get-resource-links", `{"count":3}`},
	},
	"go-every":  {{"greet", `{"name":"Ada"}`}, {"greet (structured)", `{"name":"Ada"}`}, {"ping", `{}`}},
	"go-memory": {{"read_graph", `{}`}},
}

func (r *realService) sameResults() {
	t := r.t
	h := r.host("test", true)
	for name, direct := range r.direct {
		kind := name
		if strings.HasPrefix(name, "js-") {
			kind = "js"
		}
		for _, c := range sameCalls[kind] {
			want := direct.result(c.tool, c.arguments)
			if got := h.result(name+"."+c.tool, c.arguments); got != want {
				t.Errorf("%s.%s through /mcp:\n%.500s, want\n%.500s", name, c.tool, got, want)
			}
			got := decode[map[string]any](t, r.api().call(name+"."+c.tool, c.arguments))
			if routed := plain(t, got["metadata"]); !strings.Contains(routed, `"routed_to":"`+name+`"`) {
				t.Errorf("%s.%s: routed %s", name, c.tool, routed)
			}
			delete(got, "metadata") // which the service adds
			if sent := plain(t, got); sent != plain(t, decode[map[string]any](t, want)) {
				t.Errorf("%s.%s over REST:\n%.500s, want\n%.500s", name, c.tool, sent, want)
			}
		}
	}
}

// threeTools compares the results of call_tool with those of the servers themselves, and
// finds each tool that it calls by its own name.
func (r *realService) threeTools() {
	t := r.t
	h := r.hostAt("/mcp/search", "test", true)
	inner := func(name, arguments string) string {
		return plain(t, map[string]any{"name": name, "arguments": json.RawMessage(arguments)})
	}
	for name, direct := range r.direct {
		kind := name
		if strings.HasPrefix(name, "js-") {
			kind = "js"
		}
		for _, c := range sameCalls[kind] {
			want := direct.result(c.tool, c.arguments)
			if c.arguments == `{"a":"no number"}` {
				want = strings.TrimSuffix(want, `}],"isError":true}`) // the schema follows
			}
			if got := h.result("call_tool", inner(name+"."+c.tool, c.arguments)); !strings.HasPrefix(got, want) {
				t.Errorf("%s.%s:\n%.500s, want\n%.500s", name, c.tool, got, want)
			}
			if got := h.result("search_tools", plain(t, map[string]any{"query": c.tool, "servers": []string{name}})); !strings.Contains(got, name+"."+c.tool) {
				t.Errorf("%s.%s is not found: %s", name, c.tool, got)
			}
		}
	}
	calls := int32(0)
	r.askAll(func(tool, arguments, part string) {
		calls++
		if got := h.result("call_tool", inner(tool, arguments)); !strings.Contains(got, part) {
			t.Errorf("%s: %s, want %q in it", tool, got, part)
		}
	})
	if got := h.asked.Load(); got != calls {
		t.Errorf("asked %d times in %d calls", got, calls)
	}
}

func (r *realService) ownNames() {
	t := r.t
	h := r.host("claude-ai", true)
	if names := h.names(); !slices.Contains(names, "js-stdio__echo") || slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, ".") }) {
		t.Errorf("the names are %q", names)
	}
	for name := range r.servers {
		if tool := name + "__echo"; strings.HasPrefix(name, "js-") {
			if got := h.result(tool, `{"message":"hi"}`); !strings.Contains(got, "Echo: hi") {
				t.Errorf("%s: %s", tool, got)
			}
		}
	}
}

func (r *realService) comeAndGo() {
	t := r.t
	h := r.host("test", true)
	for _, name := range []string{"js-stdio", "js-sse", "js-http"} {
		id := r.ids[name]
		h.sees(name, true)
		expect(t, r.api().answered(http.StatusOK, http.MethodPost, "/aggregator/servers/"+id+"/disconnect", ""), `{"status":"DISCONNECTED","pending_requests":0}`)
		h.sees(name, false)
		if p := r.api().refused(http.StatusServiceUnavailable, name+".echo", `{"message":"hi"}`); p.Server != name || p.ServerStatus != "DISCONNECTED" {
			t.Errorf("refused: %+v", p)
		}
		expect(t, r.api().answered(http.StatusOK, http.MethodPost, "/aggregator/servers/"+id+"/connect", ""), `{"status":"CONNECTING","message":"Connection initiated"}`)
		h.sees(name, true)
		r.recorded(id, "CONNECTED", "DISCONNECTED", "CONNECTED")
	}
}

func (r *realService) renamed() {
	t := r.t
	h := r.host("test", true)
	r.api().answered(http.StatusOK, http.MethodPatch, "/aggregator/servers/"+r.ids["go-every"], `{"name":"anew"}`)
	if got := r.api().call("anew.greet", `{"name":"Ada"}`); !strings.Contains(got, "Hi Ada") {
		t.Errorf("the answer is %s", got)
	}
	r.api().refused(http.StatusNotFound, "go-every.greet", `{"name":"Ada"}`)
	h.sees("anew", true)
	h.sees("go-every", false)
	if names := r.api().listed(); !slices.Contains(names, "anew.greet") || slices.Contains(names, "go-every.greet") {
		t.Errorf("the tools are %q", names)
	}
	r.recorded(r.ids["go-every"], "CONNECTED")
}

func (r *realService) removed() {
	t := r.t
	h := r.host("test", true)
	for name, id := range r.ids {
		r.api().answered(http.StatusNoContent, http.MethodDelete, "/aggregator/servers/"+id, "")
		r.api().answered(http.StatusNotFound, http.MethodGet, "/aggregator/servers/"+id, "")
		h.sees(name, false)
	}
	if names := r.api().listed(); len(names) > 0 || len(h.names()) > 0 {
		t.Errorf("left are %q", names)
	}
}
