package child_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestTheHandshakeByteForByte(t *testing.T) {
	const own = `{"zeta":[ ],"capabilities":{"sampling":{},"experimental":{"x":1e400}},"clientInfo":{"version" : "1","name":"tést \u0041\/<>&","x":9007199254740993,"b":1,"b":2},"protocolVersion":"2025-06-18","_meta":{"a/b":null}}`
	tests := []struct {
		name, params, version, want string
	}{
		{"the client's own params", own, "2025-06-18", own},
		{"params of almost nothing", `{"protocolVersion":"2024-11-05"}`, "2024-11-05", `{"protocolVersion":"2024-11-05"}`},
		{
			"no client that is known", "", "2025-03-26",
			`{"clientInfo":{"name":"mcp-simple-aggregator","version":""},"protocolVersion":"2025-03-26","capabilities":{}}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var received stdinRecorder
				c := startManager(t, testutil.Spawner{"a": received.record(testutil.Raw{}.Run)}, child.Options{}, "a")
				c.Initialize(child.InitializeParams{Raw: []byte(test.params), ProtocolVersion: test.version})
				c.Initialize(child.InitializeParams{Raw: []byte(`"second"`), ProtocolVersion: "2024-11-05"}) // ignored: not the first
				c.initializeAll()
				synctest.Wait()
				want(t, "received", strings.Join(received.lines(), "\n"), strings.Join([]string{
					`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + test.want + `}`,
					`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
					`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`,
				}, "\n"))
				want(t, "state", c.status("a").State, child.Running)
			})
		})
	}
}

func TestInitializeResults(t *testing.T) {
	tests := []struct {
		name, result  string
		state         child.State
		listed        bool // whether the tools were requested
		reasonExcerpt string
	}{
		{"with tools", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`, child.Running, true, ""},
		{"with an older version", `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`, child.Running, true, ""},
		{"without capabilities", `{"protocolVersion":"2025-11-25","serverInfo":{"name":"x","version":"1"}}`, child.Running, false, ""},
		{"without the tools capability", `{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}},"serverInfo":{"name":"x","version":"1"}}`, child.Running, false, ""},
		{"with unknown members", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"x":1e400,"experimental":{"y":{}}},"serverInfo":{"name":"x","version":"1","z":[]},"instructions":"…","_meta":{"n":9007199254740993}}`, child.Running, true, ""},
		{"with an unknown version", `{"protocolVersion":"1999-01-01","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`, child.Failed, false, "1999-01-01"},
		{"with nonsense", `"nonsense"`, child.Failed, false, "initialize: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var received stdinRecorder
				c := startManager(t, testutil.Spawner{
					"a": received.record(testutil.Raw{Initialize: test.result, Tools: "[1,2]"}.Run),
					"b": scripted,
				}, child.Options{}, "a", "b")
				c.initializeAll()
				synctest.Wait()
				want(t, "state", c.status("a").State, test.state)
				want(t, "listed", slices.Contains(received.lines(), `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`), test.listed)
				if test.state == child.Failed {
					failure := c.failure("a")
					want(t, "phase", failure.Phase, child.Initialization)
					want(t, "the reason names what is wrong", strings.Contains(failure.Reason, test.reasonExcerpt), true)
					t.Log(failure.Reason)
					return
				}
				tools := 0
				if test.listed {
					tools = 2
				}
				want(t, "tools", c.status("a").Tools, tools)
				c.wantLog()
			})
		})
	}
}

func TestAChildThatRefusesInitialize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEventLog()
		c := startServers(t, d.watch(testutil.Spawner{"a": func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			_, _ = io.ReadFull(stdio.In, make([]byte, 1))
			testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no licence in hunter2\u0007"}}`)
			return silent(ctx, stdio)
		}}), child.Options{}, serverWithSecret("a"))
		c.initializeAll()
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Initialization, Reason: `initialize: calling "initialize": no licence in [redacted]\a`})
		time.Sleep(time.Minute)
		want(t, "diary", d.ofChild("a"), "0s: spawned, 100ms: stdin closed, 100ms: ended: exit status 0")
		c.wantTools("remove a")
	})
}

// sends is a Program that writes lines before the handshake, and others when it is
// called.
func sends(before, after []string) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		for _, line := range before {
			testutil.Say(stdio.Out, "%s", line)
		}
		return testutil.Raw{Handle: func(line, _ string, out io.Writer) child.Exit {
			if strings.Contains(line, "tools/call") {
				for _, line := range after {
					testutil.Say(out, "%s", line)
				}
			}
			return ""
		}}.Run(ctx, stdio)
	}
}

func TestPingsAreAnswered(t *testing.T) {
	ids := []string{`1`, `0`, `-7`, `9007199254740993`, `123456789012345678901234567890`, `1.50`, `1e400`, `"x\u0041\/"`, `""`, `null`}
	for _, early := range []bool{true, false} {
		t.Run(map[bool]string{true: "before the handshake", false: "after the handshake"}[early], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var lines, answers []string
				for _, id := range ids {
					lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"p\u0069ng"}`, id),
						fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping","params":{"_meta":{}}}`, id),
						fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"roots/list"}`, id))
					pong := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
					answers = append(answers, pong, pong,
						fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id))
				}
				var received stdinRecorder
				program := sends(lines, nil)
				if !early {
					program = sends(nil, lines)
				}
				c := startManager(t, testutil.Spawner{"a": received.record(program)}, child.Options{}, "a")
				c.initializeAll()
				c.callTool("a", "chat")
				synctest.Wait()
				want(t, "state", c.status("a").State, child.Running)
				got := slices.DeleteFunc(received.lines(), func(line string) bool { return strings.Contains(line, `"method"`) })
				slices.Sort(got) // the SDK answers concurrently
				slices.Sort(answers)
				want(t, "answers", strings.Join(got, "\n"), strings.Join(answers, "\n"))
				c.wantLog()
			})
		})
	}
}

func TestOtherRequestsOfAChildReachTheClient(t *testing.T) {
	for _, method := range []string{"roots/list", "sampling/createMessage", "elicitation/create", "tools/call", "initialize", "x", "Ping"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var received stdinRecorder
				request := `{"jsonrpc":"2.0","id":"r1","method":"` + method + `","params":{}}`
				c := startManager(t, testutil.Spawner{"a": received.record(sends(nil, []string{request}))}, child.Options{}, "a")
				c.initializeAll()
				c.callTool("a", "chat")
				synctest.Wait()
				want(t, "passed", slices.Contains(c.clientRecorder.lines(), request), true)
				want(t, "answered", slices.Contains(received.lines(), `{"jsonrpc":"2.0","id":"r1","error":{"code":-32601,"message":"Method not found"}}`), true)
			})
		})
	}
}
