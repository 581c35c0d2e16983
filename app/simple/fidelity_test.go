package simple_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestResultsAndErrorsPassByteForByte(t *testing.T) {
	for name, result := range testutil.Results() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				raw := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(_, id string, out io.Writer) child.Exit {
					testutil.Say(out, `{"jsonrpc":"2.0","id":%s,%s}`, id, result)
					testutil.Say(out, `{%s,"id":%s,"jsonrpc":"2.0"}`, result, id)
					return ""
				}}
				a := start(t, testutil.Spawner{"raw": raw.Run}, "raw")
				a.Initialize()
				a.tools()
				a.Send(`{"jsonrpc":"2.0","id":"my id","method":"tools/call","params":{"name":"raw:x"}}`)
				a.expect(`{"jsonrpc":"2.0","id":"my id",` + result + `}`)
			})
		})
	}
}

// recorder returns a server with the tool "x y", and the calls that it receives, with ID in
// place of their ids.
func recorder() (raw testutil.Raw, seen <-chan string) {
	calls := make(chan string, 1)
	return testutil.Raw{Tools: `[{"name":"x y"}]`, Handle: func(line, id string, out io.Writer) child.Exit {
		calls <- strings.Replace(line, id, "ID", 1)
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
		return ""
	}}, calls
}

func TestCallsReachTheChildByteForByte(t *testing.T) {
	for name, request := range testutil.Requests() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				raw, seen := recorder()
				a := start(t, testutil.Spawner{"raw": raw.Run}, "raw")
				a.Initialize()
				a.tools()
				a.SendRaw(testutil.Fill(request, `12345.60`, `"raw:x\u0020y"`) + "\n")
				a.expect(`{"jsonrpc":"2.0","id":12345.60,"result":{}}`)
				if got, want := <-seen, testutil.Fill(request, "ID", `"x y"`); got != want {
					t.Errorf("the child saw\n     %s\nwant %s", testutil.Shorten(got), testutil.Shorten(want))
				}
			})
		})
	}
}

func TestDefinitionsOfToolsPassByteForByteButForTheName(t *testing.T) {
	definitions := []string{
		`{"name":%s,"title":"T","description":"<d>","inputSchema":{"type":"object","$ref":"#/$defs/x","$defs":{"x":{"maximum":9007199254740993}}}}`,
		`{ "zeta": 1e400, "inputSchema": {"type": ["object","null"]}, "name" : %s, "execution":{"taskSupport":"optional"} }`,
		`{"outputSchema":{"properties":{"name":{"const":"n"}}},"name":%s,"annotations":{"readOnlyHint":true,"x":1},"icons":[{"src":"data:,"}],"_meta":{"a/b":[1.0]}}`,
		`{"name":%s,"inputSchema":true,"a":1,"a":2}`,
	}
	synctest.Test(t, func(t *testing.T) {
		var own, public []string
		for i, definition := range definitions {
			name := string(rune('a'+i)) + `\u00e9\/`
			own = append(own, strings.Replace(definition, "%s", `"`+name+`"`, 1))
			public = append(public, strings.Replace(definition, "%s", `"r\"w:`+name+`"`, 1))
		}
		a := start(t, testutil.Spawner{`r"w`: testutil.Raw{Tools: "[" + strings.Join(own, " , ") + "]"}.Run}, `r"w`)
		a.Initialize()
		a.Send(`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`)
		a.expect(`{"jsonrpc":"2.0","id":0,"result":{"tools":[` + strings.Join(public, ",") + `]}}`)
	})
}

func TestIDsComeBackExactlyAsSent(t *testing.T) {
	ids := []string{`1`, `-1`, `0`, `9007199254740993`, `1.5`, `1e2`, `"text"`, `"\u0041\ud800"`, `""`, `"` + strings.Repeat("x", 10_000) + `"`}
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"raw": testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(_, id string, out io.Writer) child.Exit {
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
			return ""
		}}.Run}, "raw")
		a.Initialize()
		a.tools()
		for _, id := range ids {
			for _, request := range []string{`"ping"`, `"tools/call","params":{"name":"raw:x"}`} {
				a.Send(`{"jsonrpc":"2.0","id":%s,"method":%s}`, id, request)
				a.expect(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			}
			a.Send(`{"jsonrpc":"2.0","id":%s,"method":"prompts/list"}`, id)
			a.expect(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"Method not found: prompts/list"}}`)
		}
	})
}
