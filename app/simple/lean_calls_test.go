package simple_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// startLean is like start in the lean mode.
func startLean(t *testing.T, children testutil.Spawner, keys ...string) *aggregator {
	t.Helper()
	return startWith(t, simple.Options{Separator: ":", Lean: true}, children, keys...)
}

// throughCallTool is the call of a tool by way of call_tool: its name and its arguments move
// into the arguments of that, and everything else stays.
func throughCallTool(t *testing.T, line string) string {
	t.Helper()
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	name, arguments := m.Param("name"), m.Param("arguments")
	inner := fmt.Appendf(nil, `{"arguments":%s,"name":%s}`, arguments.Of(m.Line), name.Of(m.Line))
	return string(wire.Replace(m.Line, wire.Edit{Span: name, With: []byte(`"call_tool"`)}, wire.Edit{Span: arguments, With: inner}))
}

func TestResultsThroughCallToolPassByteForByte(t *testing.T) {
	for name, result := range testutil.Results() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				raw := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(_, id string, out io.Writer) child.Exit {
					testutil.Say(out, `{"jsonrpc":"2.0","id":%s,%s}`, id, result)
					return ""
				}}
				a := startLean(t, testutil.Spawner{"raw": raw.Run}, "raw")
				a.Initialize()
				a.tools()
				a.Send(`{"jsonrpc":"2.0","id":"my id","method":"tools/call","params":{"name":"call_tool","arguments":{"name":"raw:x"}}}`)
				a.expect(`{"jsonrpc":"2.0","id":"my id",` + result + `}`)
			})
		})
	}
}

func TestCallsInTheLeanModeReachTheChildByteForByte(t *testing.T) {
	for name, request := range testutil.Requests() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				raw, seen := recorder()
				a := startLean(t, testutil.Spawner{"raw": raw.Run}, "raw")
				a.Initialize()
				a.tools()
				direct, want := testutil.Fill(request, `12345.60`, `"raw:x\u0020y"`), testutil.Fill(request, "ID", `"x y"`)
				lines := []string{direct}
				if strings.Contains(direct, `"arguments":{`) || strings.Contains(direct, `"arguments" : {`) {
					lines = append(lines, throughCallTool(t, direct))
				}
				for _, line := range lines {
					a.SendRaw(line + "\n")
					a.expect(`{"jsonrpc":"2.0","id":12345.60,"result":{}}`)
					if got := <-seen; got != want {
						t.Errorf("the child saw\n     %s\nwant %s", testutil.Shorten(got), testutil.Shorten(want))
					}
				}
			})
		})
	}
}

// described is a tool with parameters.
const described = `{"name":"x","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`

func TestAddedToResultsIsOnlyWhatTheArgumentsAsk(t *testing.T) {
	const schema = `{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}`
	const advice = `{"type":"text","text":"The arguments do not match the input schema of one:x: n is missing. The schema: ` + schema + `"}`
	const bare = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	for name, c := range map[string]struct{ params, answer, want string }{
		"nothing": {`{"name":"call_tool","arguments":{"name":"one:x","arguments":{"n":1}}}`, `"result":{"isError":true,"content":[]}`, `"result":{"isError":true,"content":[]}`},
		"a note of nested arguments": {
			`{"name":"call_tool","arguments":{"name":"one:x","arguments":{"arguments":{"n":1}}}}`, `"result":{"content":[],"_meta":{"a":1.0}}`,
			`"result":{"content":[],"_meta":{"a":1.0,"mcp-aggregator/notes":["arguments was nested in arguments; the inner object was used"]}}`,
		},
		"a note of a string": {
			`{"name":"call_tool","arguments":{"name":"one:x","arguments":"{\"n\":1}"}}`, `"result":{}`,
			`"result":{"_meta":{"mcp-aggregator/notes":["arguments was a JSON string; it was parsed as an object"]}}`,
		},
		"the schema beside an error": {
			`{"name":"call_tool","arguments":{"name":"one:x"}}`, `"result":{"content":[{"type":"text","text":"no"}],"isError":true}`,
			`"result":{"content":[{"type":"text","text":"no"},` + advice + `],"isError":true}`,
		},
		"the schema beside the error of a direct call": {
			`{"name":"one:x"}`, `"result":{"content":[],"isError":true}`, `"result":{"content":[` + advice + `],"isError":true}`,
		},
		"the schema in the data of an error": {
			`{"name":"one:x","arguments":{}}`, `"error":{"code":-32602,"message":"no"}`,
			`"error":{"code":-32602,"message":"no","data":{"inputSchema":` + bare + `,"problems":"n is missing"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				one := testutil.NewManualChild(`[` + described + `]`)
				a := startLean(t, testutil.Spawner{"one": one.Run}, "one")
				a.Initialize()
				a.tools()
				a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`, c.params)
				id := idOf(one.Next())
				one.Say(`{` + c.answer + `,"id":` + id + `,"jsonrpc":"2.0"}`)
				a.expect(`{` + c.want + `,"id":1,"jsonrpc":"2.0"}`)
			})
		})
	}
}

func TestArgumentsThatAreLongAreNotKeptForAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[` + described + `]`)
		a := startLean(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		a.tools()
		long := `{"s":"` + strings.Repeat("x", 300_000) + `"}`
		for _, call := range []string{`{"name":"one:x","arguments":` + long + `}`, `{"name":"call_tool","arguments":{"name":"one:x","arguments":` + long + `}}`} {
			a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`, call)
			line := one.Next()
			if !strings.HasSuffix(line, `"params":{"name":"x","arguments":`+long+`}}`) {
				t.Errorf("the child sees %s", testutil.Shorten(line))
			}
			one.Say(`{"jsonrpc":"2.0","id":` + idOf(line) + `,"result":{"content":[],"isError":true}}`)
			a.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`)
		}
	})
}

func TestWithoutTheLeanModeNothingIsAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[` + described + `]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		a.tools()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}}`)
		one.Say(`{"jsonrpc":"2.0","id":` + idOf(one.Next()) + `,"result":{"content":[],"isError":true}}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}`)
		a.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"x"}}}`)
		a.expect(refused("2", "-32602", "Tool name must be prefixed with server key: search_tools"))
	})
}

func TestACallThroughCallToolWaitsForItsServerInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[` + described + `]`)
		a := startLean(t, testutil.Spawner{"one": after(time.Second, one.Run)}, "one")
		a.Initialize()
		for n := range 30 {
			a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"one:x","arguments":{"n":%d}}}}`, n, n)
		}
		a.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		for n := range 30 {
			if n == 7 {
				continue
			}
			line := one.Next()
			if !strings.HasSuffix(line, fmt.Sprintf(`{"name":"x","arguments":{"n":%d}}}`, n)) {
				t.Fatalf("call %d: the child sees %s", n, line)
			}
			one.Say(`{"jsonrpc":"2.0","id":` + idOf(line) + `,"result":{}}`)
			a.expect(answered(n))
		}
		// What the schema says is known now, though it was not when the call came.
		a.Send(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"one:x"}}}`)
		one.Say(`{"jsonrpc":"2.0","id":` + idOf(one.Next()) + `,"result":{"content":[],"isError":true}}`)
		if got := a.Next(); !strings.Contains(got, "n is missing") {
			t.Errorf("got %s", got)
		}
	})
}

func TestACallThroughCallToolEndsWithItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := testutil.NewManualChild(`[`+described+`]`), testutil.NewManualChild(`[]`)
		a := startLean(t, testutil.Spawner{"one": one.Run, "two": two.Run}, "one", "two")
		a.Initialize()
		a.tools()
		const callOne = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"one:x","arguments":{"n":1}}}}`
		a.Send(callOne, 1)
		one.Next()
		one.Exit("exit status 7")
		a.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Server 'one' crashed during operation","data":{"server":"one","exitStatus":"exit status 7"}}}`)
		a.expect(listChanged)
		a.Send(callOne, 2)
		if got := a.Next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Tool not found: one:x","data":{"server":"one","status":"failed"`) {
			t.Errorf("got %s", got)
		}
	})
}

func TestAWrongNameIsAnsweredWithTheNearest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startLean(t, testutil.Spawner{"one": echoOf(`[{"name":"create_issue"}]`)}, "one")
		a.Initialize()
		a.tools()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"one:craete_issue"}}}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"No tool is named \"one:craete_issue\"; nearest: one:create_issue; use search_tools to find tools"}],"isError":true}}`)
	})
}

func TestABatchMayHaveTheThreeTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startLean(t, testutil.Spawner{"one": after(time.Second, echoOf(`[{"name":"x"}]`))}, "one")
		a.openSession("2025-03-26")
		a.Send(`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"one:x"}}},` +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"x"}}},` +
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"x"}}},` +
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}},` +
			`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"call_tool"}}]`)
		got, want := elements(a.Next()), []string{
			`{"jsonrpc":"2.0","id":1,"result":{"called":"x"}}`,
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"one:x()"}],"structuredContent":`,
			`{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"call_tool needs a name. `,
		}
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}
