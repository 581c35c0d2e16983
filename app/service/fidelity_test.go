package service_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// backends are raw servers with one tool, x, over each transport. They respond with a
// given line, in which ID stands for the id, and record the requests.
func backends(t *testing.T, said *atomic.Pointer[string], seen chan<- string) (testutil.Spawner, map[string]string) {
	t.Helper()
	answer := func(line, id string) string {
		var m wire.Message
		_ = new(wire.Scanner).Scan([]byte(line), &m)
		seen <- string(m.WithID([]byte("ID")))
		return strings.Replace(*said.Load(), "ID", id, 1)
	}
	raw := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(line, id string, out io.Writer) child.Exit {
		testutil.Say(out, "%s", answer(line, id))
		return ""
	}}
	remote := testutil.NewRemote(t, `[{"name":"x"}]`, answer)
	return testutil.Spawner{"stdio": raw.Run}, map[string]string{
		"STDIO": `{"command":"raw"}`,
		"SSE":   fmt.Sprintf(`{"url":%q}`, remote.SSE),
		"HTTP":  fmt.Sprintf(`{"base_url":%q}`, remote.HTTP),
	}
}

func TestResultsPassUnchangedThroughMCP(t *testing.T) {
	var said atomic.Pointer[string]
	seen := make(chan string, 1)
	programs, connections := backends(t, &said, seen)
	s := start(t, programs)
	for transport, connection := range connections {
		s.await(s.register(strings.ToLower(transport), transport, connection).ID, "CONNECTED")
	}
	direct, through := `{"name":"TOOL"}`, `{"name":"call_tool","arguments":{"name":"TOOL"}}`
	for way, c := range map[string]struct {
		client *mcpClient
		params string
	}{
		"listed":                 {s.connect("test", "{}"), direct},
		"not listed":             {s.connectAt("/mcp/search", "test", "{}"), direct},
		"through call_tool":      {s.connectAt("/mcp/search", "test", "{}"), through},
		"by an alias, call_tool": {s.connectAt("/mcp/search", "claude-ai", "{}"), strings.Replace(through, "TOOL", "ALIAS", 1)},
	} {
		for transport := range connections {
			t.Run(way+", "+transport, func(t *testing.T) {
				name := strings.ToLower(transport)
				params := strings.NewReplacer("TOOL", name+".x", "ALIAS", name+"__x").Replace(c.params)
				for what, result := range testutil.Results() {
					for _, envelope := range []string{`{"jsonrpc":"2.0","id":ID,` + result + `}`, `{` + result + `,"id":ID,"jsonrpc":"2.0"}`} {
						said.Store(&envelope)
						got := c.client.request(`{"jsonrpc":"2.0","id":"my id","method":"tools/call","params":` + params + `}`)
						<-seen
						if want := strings.Replace(envelope, "ID", `"my id"`, 1); got != want {
							t.Errorf("%s: got %.300s, want %.300s", what, got, want)
						}
					}
				}
			})
		}
	}
}

func TestCallsPassUnchangedThroughMCP(t *testing.T) {
	said := new(string)
	*said = `{"jsonrpc":"2.0","id":ID,"result":{}}`
	var answer atomic.Pointer[string]
	answer.Store(said)
	seen := make(chan string, 1)
	programs, connections := backends(t, &answer, seen)
	s := start(t, programs)
	for transport, connection := range connections {
		s.await(s.register(strings.ToLower(transport), transport, connection).ID, "CONNECTED")
	}
	for _, path := range []string{"/mcp", "/mcp/search"} {
		c := s.connectAt(path, "test", "{}")
		for transport := range connections {
			t.Run(path+", "+transport, func(t *testing.T) {
				name := strings.ToLower(transport)
				for what, request := range testutil.Requests() {
					c.request(testutil.Fill(request, `12345.60`, `"`+name+`\u002ex"`))
					got, want := <-seen, testutil.Fill(request, "ID", `"x"`)
					if withoutToken(got) != withoutToken(want) {
						t.Errorf("%s: the server saw %.300s, want %.300s", what, got, want)
					}
				}
			})
		}
	}
}

// What call_tool passes on is the inner name and arguments in place of the outer ones.
func TestArgumentsPassUnchangedThroughCallTool(t *testing.T) {
	said := `{"jsonrpc":"2.0","id":ID,"result":{}}`
	var answer atomic.Pointer[string]
	answer.Store(&said)
	seen := make(chan string, 1)
	programs, connections := backends(t, &answer, seen)
	s := start(t, programs)
	c := s.connectAt("/mcp/search", "test", "{}")
	for transport, connection := range connections {
		t.Run(transport, func(t *testing.T) {
			name := strings.ToLower(transport)
			s.await(s.register(name, transport, connection).ID, "CONNECTED")
			for _, arguments := range []string{
				`{"n":9007199254740993,"x":1e400,"y":-0.0}`, `{"a":1,"a":2,"name":"n","id":3}`, `{ "t" : "\u0041\/\ud800<&>é" }`,
				`{"a":` + strings.Repeat(`[`, 10_000) + strings.Repeat(`]`, 10_000) + `}`,
			} {
				const around = `{"jsonrpc":"2.0","trace":[1],"id":ID,"method":"tools/call","params":{"future":{},"name":NAME,"arguments":ARGUMENTS,"_meta":{"a":1.0}}}`
				c.request(strings.NewReplacer("ID", "7", "NAME", `"call_tool"`, "ARGUMENTS", `{"name":"`+name+`.x","arguments":`+arguments+`}`).Replace(around))
				want := strings.NewReplacer("NAME", `"x"`, "ARGUMENTS", arguments).Replace(around)
				if got := <-seen; got != want {
					t.Errorf("the server saw %.300s, want %.300s", got, want)
				}
			}
		})
	}
}

// withoutToken returns the line without its progress token, which the service adds.
func withoutToken(line string) string {
	var m wire.Message
	_ = new(wire.Scanner).Scan([]byte(strings.Replace(line, "ID", "1", 1)), &m)
	span := m.Param("_meta", "progressToken")
	if !span.Present() {
		return line
	}
	return string(wire.Splice(m.Line, span, []byte("T")))
}

func TestResultsPassUnchangedThroughREST(t *testing.T) {
	var said atomic.Pointer[string]
	seen := make(chan string, 1)
	programs, connections := backends(t, &said, seen)
	s := start(t, programs)
	for transport, connection := range connections {
		t.Run(transport, func(t *testing.T) {
			name := strings.ToLower(transport)
			s.await(s.register(name, transport, connection).ID, "CONNECTED")
			for what, result := range testutil.Results() {
				value, isResult := strings.CutPrefix(result, `"result":`)
				if !isResult || !strings.HasPrefix(value, "{") || strings.Contains(value, `},"`) && what == "an envelope with members of its own" {
					continue // REST answers with the members of an object
				}
				envelope := `{"jsonrpc":"2.0","id":ID,` + result + `}`
				said.Store(&envelope)
				arguments := "{\n\"n\": 9007199254740993, \"x\":1e400, \"a\":1,\"a\":2}"
				status, got := s.rest(http.MethodPost, "/tools/call", `{"name":"`+name+`.x","arguments":`+arguments+`}`)
				if line := <-seen; !strings.Contains(line, strings.ReplaceAll(arguments, "\n", " ")) {
					t.Errorf("the server saw %s", line)
				}
				members := strings.TrimSuffix(strings.TrimSpace(value), "}")
				if status != http.StatusOK || !strings.HasPrefix(got, strings.TrimRight(members, " ")) || !strings.Contains(got, `"routed_to":"`+name+`"`) {
					t.Errorf("%s: %d %.300s, want the members of %.300s", what, status, got, value)
				}
			}
		})
	}
}
