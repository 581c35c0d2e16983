package simple_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/testutil"
)

// hello is the initialize of a client with all capabilities.
const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true}},"clientInfo":{"name":"t","version":"1"}}}`

// play runs the script of a session between the children one and two, with a tool x each,
// and a client with the capabilities of hello, one step a line:
//
//	client> what the client sends     client< what it must read next
//	one>    what the child one sends  one<    what it must read next
//
// At its end nobody may have anything left to read.
func play(t *testing.T, o simple.Options, script string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		one, two := testutil.NewManualChild(`[{"name":"x"}]`), testutil.NewManualChild(`[{"name":"x"}]`)
		o.Separator = ":"
		a := startWith(t, o, testutil.Spawner{"one": one.Run, "two": two.Run}, "one", "two")
		a.Send("%s", hello)
		a.Next()
		a.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.tools()
		perform(t, script, a, map[string]*testutil.ManualChild{"one": one, "two": two})
		synctest.Wait()
		if !one.Idle() || !two.Idle() {
			t.Errorf("a child reads more than the script says")
		}
		a.Send(`{"jsonrpc":"2.0","id":"end","method":"ping"}`)
		a.expect(`{"jsonrpc":"2.0","id":"end","result":{}}`)
	})
}

func perform(t *testing.T, script string, a *aggregator, children map[string]*testutil.ManualChild) {
	t.Helper()
	for step := range strings.Lines(script) {
		step = strings.TrimSpace(step)
		if step == "" {
			continue
		}
		who, line, _ := strings.Cut(step, " ")
		line = strings.TrimSpace(line)
		name, way := who[:len(who)-1], who[len(who)-1]
		synctest.Wait()
		switch {
		case name == "client" && way == '>':
			a.Send("%s", line)
		case name == "client":
			a.expect(line)
		case way == '>' && strings.HasPrefix(line, "exit "):
			children[name].Exit("exit status 1")
		case way == '>':
			children[name].Say(line)
		default:
			if got := children[name].Next(); got != line {
				t.Errorf("%s sees\n     %s\nwant %s", name, got, line)
			}
		}
	}
}

func TestConversations(t *testing.T) {
	for name, script := range conversations {
		t.Run(name, func(t *testing.T) { play(t, simple.Options{}, script) })
	}
}

// In the lean mode everything is as it is without, whether a tool is called by its own name
// or by call_tool.
func TestConversationsInTheLeanMode(t *testing.T) {
	calls := strings.NewReplacer(
		`"tools/call","params":{"name":"one:x"`, `"tools/call","params":{"name":"call_tool","arguments":{"name":"one:x"}`,
		`"tools/call","params":{"name":"two:x"`, `"tools/call","params":{"name":"call_tool","arguments":{"name":"two:x"}`,
		`"tools/call","params":{"name":"x"`, `"tools/call","params":{"name":"x","arguments":{}`,
	)
	for name, script := range conversations {
		t.Run("by its own name: "+name, func(t *testing.T) { play(t, simple.Options{Lean: true}, script) })
		if through := calls.Replace(script); through != script {
			t.Run("through call_tool: "+name, func(t *testing.T) { play(t, simple.Options{Lean: true}, through) })
		}
	}
}

// conversations are the scripts. The children have answered initialize and
// tools/list, ids 1 and 2, so the first call is 3.
var conversations = map[string]string{
	"sampling reaches the client and the answer the child, byte for byte": `
		one>    {"id":"a\u0041","params":{"messages":[],"maxTokens":1e2,"_meta":{"x":9007199254740993}},"method":"sampling/createMessage","jsonrpc":"2.0","more":1}
		client< {"id":1,"params":{"messages":[],"maxTokens":1e2,"_meta":{"x":9007199254740993}},"method":"sampling/createMessage","jsonrpc":"2.0","more":1}
		client> {"result":{"role":"assistant","content":{"type":"hologram"},"n":1e400},"id":1,"jsonrpc":"2.0"}
		one<    {"result":{"role":"assistant","content":{"type":"hologram"},"n":1e400},"id":"a\u0041","jsonrpc":"2.0"}`,
	"ids of different children do not collide": `
		one>    {"jsonrpc":"2.0","id":7,"method":"roots/list"}
		two>    {"jsonrpc":"2.0","id":7,"method":"roots/list"}
		client< {"jsonrpc":"2.0","id":1,"method":"roots/list"}
		client< {"jsonrpc":"2.0","id":2,"method":"roots/list"}
		client> {"jsonrpc":"2.0","id":2,"result":{"roots":["two"]}}
		client> {"jsonrpc":"2.0","id":1,"result":{"roots":["one"]}}
		one<    {"jsonrpc":"2.0","id":7,"result":{"roots":["one"]}}
		two<    {"jsonrpc":"2.0","id":7,"result":{"roots":["two"]}}`,
	"the id of a child's request may be the id of an open call": `
		client> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one:x"}}
		one<    {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}
		one>    {"jsonrpc":"2.0","id":1,"method":"roots/list"}
		client< {"jsonrpc":"2.0","id":1,"method":"roots/list"}
		client> {"jsonrpc":"2.0","id":1,"result":{}}
		one<    {"jsonrpc":"2.0","id":1,"result":{}}
		one>    {"jsonrpc":"2.0","id":3,"result":{"done":true}}
		client< {"jsonrpc":"2.0","id":1,"result":{"done":true}}`,
	"elicitation by form and by URL, its completion, and an error as the answer": `
		one>    {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object"}}}
		client< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object"}}}
		client> {"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":[1e400]}}
		one<    {"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":[1e400]}}
		one>    {"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"mode":"url","url":"https://x","elicitationId":"e"}}
		client< {"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"mode":"url","url":"https://x","elicitationId":"e"}}
		client> {"jsonrpc":"2.0","id":2,"result":{"action":"accept"}}
		one<    {"jsonrpc":"2.0","id":2,"result":{"action":"accept"}}
		one>    {"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}
		client< {"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e"}}`,
	"an unknown method passes": `
		one>    {"jsonrpc":"2.0","id":1.0,"method":"vendor/ask","params":[1]}
		client< {"jsonrpc":"2.0","id":1,"method":"vendor/ask","params":[1]}
		client> {"jsonrpc":"2.0","id":1,"result":null}
		one<    {"jsonrpc":"2.0","id":1.0,"result":null}`,
	"a ping of a child is answered by us": `
		one>    {"jsonrpc":"2.0","id":"p","method":"ping"}
		one<    {"jsonrpc":"2.0","id":"p","result":{}}`,
	"a child that dies has its requests cancelled": `
		one>    {"jsonrpc":"2.0","id":"s","method":"roots/list"}
		client< {"jsonrpc":"2.0","id":1,"method":"roots/list"}
		one>    exit 1
		client< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the server has exited"}}
		client> {"jsonrpc":"2.0","id":1,"result":{"too":"late"}}
		client< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	"a child cancels its own request": `
		two>    {"jsonrpc":"2.0","id":4,"method":"roots/list"}
		one>    {"jsonrpc":"2.0","id":4,"method":"roots/list"}
		client< {"jsonrpc":"2.0","id":1,"method":"roots/list"}
		client< {"jsonrpc":"2.0","id":2,"method":"roots/list"}
		one>    {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"changed my mind","requestId":4}}
		client< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"changed my mind","requestId":2}}
		one>    {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}
		client> {"jsonrpc":"2.0","id":1,"result":{}}
		two<    {"jsonrpc":"2.0","id":4,"result":{}}`,
	"a cancelled call: its child is notified, and a late answer still passes": `
		client> {"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"two:x"}}
		two<    {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}
		client> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\u0063","reason":"bored","_meta":{"a":1}}}
		two<    {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"bored","_meta":{"a":1}}}
		client> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}
		two>    {"jsonrpc":"2.0","id":3,"error":{"code":0,"message":"cancelled"}}
		client< {"jsonrpc":"2.0","id":"c","error":{"code":0,"message":"cancelled"}}`,
	"a cancelled call is not answered by us when its child dies": `
		client> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"one:x"}}
		one<    {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x"}}
		client> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
		one<    {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
		one>    exit 1
		client< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	"a cancellation of nothing goes nowhere": `
		client> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":42}}
		client> {"jsonrpc":"2.0","method":"notifications/cancelled"}`,
	"progress keeps the caller's token and the child's order": `
		client> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"one:x","_meta":{"progressToken":1.0,"x/y":[]}}}
		one<    {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":1.0,"x/y":[]}}}
		one>    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":1,"more":{}}}
		one>    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":2}}
		one>    {"jsonrpc":"2.0","id":3,"result":{}}
		client< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":1,"more":{}}}
		client< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1.0,"progress":2}}
		client< {"jsonrpc":"2.0","id":5,"result":{}}`,
	"the client's progress reaches the child that asked, with the child's own token": `
		one>    {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"t"}}}
		two>    {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"t"},"k":2}}
		client< {"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"t"}}}
		client< {"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"_meta":{"progressToken":"aggregator-2"},"k":2}}
		client> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"aggregator-2","progress":0.50}}
		two<    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.50}}
		client> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"t"}}
		one<    {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"t"}}
		client> {"jsonrpc":"2.0","id":1,"result":{}}
		one<    {"jsonrpc":"2.0","id":1,"result":{}}
		client> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":2,"progressToken":"t"}}`,
	"changed roots and unknown notifications reach every child": `
		client> {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
		one<    {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
		two<    {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
		client> {"jsonrpc":"2.0", "method":"vendor/tell", "params":{"n":1e400}}
		one<    {"jsonrpc":"2.0", "method":"vendor/tell", "params":{"n":1e400}}
		two<    {"jsonrpc":"2.0", "method":"vendor/tell", "params":{"n":1e400}}
		client> {"jsonrpc":"2.0","method":"notifications/initialized"}`,
	"log messages and unknown notifications of a child pass, those of features not offered do not": `
		one>    {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":1e400},"_meta":{}}}
		one>    {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}
		one>    {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
		one>    {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}
		one>    {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working"}}
		one>    {"jsonrpc":"2.0","method":"vendor/news"}
		client< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"n":1e400},"_meta":{}}}
		client< {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working"}}
		client< {"jsonrpc":"2.0","method":"vendor/news"}`,
	"methods of tasks are not supported": `
		client> {"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}}
		client< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found: tasks/get"}}`,
}
