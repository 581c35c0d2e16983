package simple_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// exchange is one line of the client and the response to it, "" for none.
type exchange struct{ name, line, answer string }

func refused(id, code, message string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + message + `"}}`
}

func TestBeforeInitializeOnlyPingIsAnswered(t *testing.T) {
	const first = "Invalid request: initialize comes first"
	exchanges := []exchange{
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"tools/list", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, refused("2", "-32600", first)},
		{"tools/call", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a:b"}}`, refused("3", "-32600", first)},
		{"the probe of the stateless revision", `{"jsonrpc":"2.0","id":4,"method":"server/discover"}`, refused("4", "-32600", first)},
		{"an unknown method", `{"jsonrpc":"2.0","id":5,"method":"nonsense"}`, refused("5", "-32600", first)},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
	}
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{})
		for _, e := range exchanges {
			a.Send("%s", e.line)
			if e.answer != "" {
				a.expect(e.answer)
			}
		}
	})
}

func TestTheProbeOfTheStatelessRevisionMakesAClientFallBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{})
		a.Initialize()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
		a.expect(refused("1", "-32601", "Method not found: server/discover"))
	})
}

func TestTheProtocolVersionIsNegotiated(t *testing.T) {
	for asked, agreed := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18",
		"2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25",
	} {
		synctest.Test(t, func(t *testing.T) {
			a := start(t, testutil.Spawner{})
			a.Send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, asked)
			if answer := a.Next(); !strings.Contains(answer, `"protocolVersion":"`+agreed+`"`) {
				t.Errorf("asked for %s: got %s, want %s", asked, answer, agreed)
			}
		})
	}
}

func TestWhatTheClientGetsWrong(t *testing.T) {
	const notRPC = "Invalid request: not a JSON-RPC message"
	exchanges := []exchange{
		{"a second initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, refused("1", "-32600", "Invalid request: initialize was already answered")},
		{"features that are not offered", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, refused("1", "-32601", "Method not found: resources/list")},
		{"logging, which is not announced", `{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`, refused("1", "-32601", "Method not found: logging/setLevel")},
		{"completion", `{"jsonrpc":"2.0","id":1,"method":"completion/complete"}`, refused("1", "-32601", "Method not found: completion/complete")},
		{"a tool that no server has", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"raw:y"}}`, refused("1", "-32601", "Tool not found: raw:y; nearest: raw:x")},
		{"a server that is not there", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no:x"}}`, refused("1", "-32601", "Tool not found: no:x; there is no such server")},
		{"a name without a server key", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, refused("1", "-32602", "Tool name must be prefixed with server key: x; nearest: raw:x")},
		{"an empty name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}`, refused("1", "-32602", "tools/call: name must not be empty")},
		{"a name that is no string", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, refused("1", "-32602", "tools/call: name must be a string")},
		{"a missing name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, refused("1", "-32602", "tools/call: name must be a string")},
		{"params that are no object", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["raw:x"]}`, refused("1", "-32602", "tools/call: params must be an object")},
		{"missing params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, refused("1", "-32602", "tools/call: params must be an object")},
		{"a cursor of nobody's", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"abc"}}`, refused("1", "-32602", "tools/list: unknown cursor")},
		{"a cursor that is no string", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":3}}`, refused("1", "-32602", "tools/list: cursor must be a string")},
		{"list params that are no object", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":3}`, refused("1", "-32602", "tools/list: params must be an object")},
		{"the name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"raw:x","\u006eame":"raw:y"}}`, refused("1", "-32600", "Invalid request: params.name occurs twice")},
		{"the method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, refused("1", "-32600", "Invalid request: method occurs twice")},
		{"the params twice", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"p\u0061rams":{}}`, refused("1", "-32600", "Invalid request: params occurs twice")},
		{"the id twice", `{"jsonrpc":"2.0","id":1,"method":"ping","id":2}`, refused("null", "-32600", "Invalid request: id occurs twice")},
		{"an id that is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, refused("null", "-32600", "Invalid request: id must be a string or a number")},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, refused("null", "-32600", "Invalid request: id must be a string or a number")},
		{"no jsonrpc", `{"id":1,"method":"ping"}`, refused("1", "-32600", `Invalid request: jsonrpc must be \"2.0\"`)},
		{"a method that is no string", `{"jsonrpc":"2.0","id":1,"method":5}`, refused("1", "-32600", "Invalid request: method must be a string")},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, refused("null", "-32600", "Invalid request: batches are part of protocol version 2025-03-26 only")},
		{"a number", `42`, refused("null", "-32600", notRPC)},
		{"an object that says nothing", `{"jsonrpc":"2.0"}`, refused("null", "-32600", notRPC)},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/nonsense"}`, ""},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}`, ""},
		{"a blank line", `  `, ""},
	}
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"raw": testutil.Raw{Tools: `[{"name":"x"}]`}.Run}, "raw")
		a.Initialize()
		a.tools()
		for _, e := range exchanges {
			a.Send("%s", e.line)
			a.Send(`{"jsonrpc":"2.0","id":"next","method":"tools/call","params":{"name":"none"}}`)
			if got := a.Next(); e.answer != "" {
				if got != e.answer {
					t.Errorf("%s:\n got %s\nwant %s", e.name, got, e.answer)
				}
				got = a.Next()
				if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"next",`) {
					t.Errorf("%s is answered twice: %s", e.name, got)
				}
			} else if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"next",`) {
				t.Errorf("%s is answered: %s", e.name, got)
			}
		}
	})
}

func TestMalformedJSONIsAnsweredAndTheSessionGoesOn(t *testing.T) {
	lines := []string{
		`{`, `{"jsonrpc":"2.0","id":1,"method":"ping"`, `nonsense`, `{"jsonrpc":"2.0","id":1,"method":"ping"}}`,
		`{'id':1}`, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", `{"id":01}`, "{\"a\":\"\x00\"}",
	}
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{})
		a.Initialize()
		for _, line := range lines {
			a.Send("%s", line)
			if got := a.Next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: `) {
				t.Errorf("%q: got %s", line, got)
			}
		}
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

func TestNoiseOfAChildIsAWarningAndNeverForwarded(t *testing.T) {
	noise := []string{
		"Server listening on stdio", "", "\xef\xbb\xbf", "{", `{"jsonrpc":"2.0","id":1,"result":{}`, `{"a":1}}`,
		`{"jsonrpc":"2.0","id":77,"result":{}}`, `{"jsonrpc":"2.0","id":"1","result":{}}`, "[]", "\x1b[31mred\x1b[0m",
	}
	synctest.Test(t, func(t *testing.T) {
		raw := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(_, id string, out io.Writer) child.Exit {
			for _, line := range noise {
				testutil.Say(out, "%s", line)
			}
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"again":true}}`, id)
			return ""
		}}
		a := start(t, testutil.Spawner{"raw": raw.Run}, "raw")
		a.Initialize()
		a.tools()
		for range 2 {
			a.Send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"raw:x"}}`)
			a.expect(`{"jsonrpc":"2.0","id":5,"result":{}}`)
		}
		log := a.log.String()
		if !strings.Contains(log, `level=WARN msg="line on standard output is not JSON" server=raw line="Server listening on stdio"`) {
			t.Errorf("no warning that names the server and the line: %s", log)
		}
		if n := strings.Count(log, "is not JSON"); n != 5 {
			t.Errorf("%d warnings of one kind: the rate is not limited", n)
		}
	})
}
