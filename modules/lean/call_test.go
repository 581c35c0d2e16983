package lean_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/wire"
)

const created = `{"owner":"o","repo":"r"}`

func TestCallsMoveUp(t *testing.T) {
	t.Parallel()
	const nested, text, outside, empty = "arguments was nested in arguments; the inner object was used",
		"arguments was a JSON string; it was parsed as an object",
		"the parameters were next to name; they were moved into arguments",
		"arguments was an empty string; it was treated as an empty object"
	for name, c := range map[string]struct{ params, want, notes string }{
		"everything else stays": {
			`{"_meta":{"progressToken":12345678901234567890}, "name":"call_tool" ,"arguments": {"arguments":{"n":1.50,"n":2e400,"\u0061":"\ud800"},"name":"forge.list_\u0069ssue"},"task":{"ttl":1}}`,
			`{"_meta":{"progressToken":12345678901234567890}, "name":"forge.list_\u0069ssue" ,"arguments": {"n":1.50,"n":2e400,"\u0061":"\ud800"},"task":{"ttl":1}}`, "",
		},
		"no arguments":                {params("forge.list_issue", ``), direct("forge.list_issue", `{}`), ""},
		"null":                        {params("forge.list_issue", `,"arguments":null`), direct("forge.list_issue", `{}`), ""},
		"an unlisted tool":            {params("slow.x", `,"arguments":{"arguments":{"a":1}}`), direct("slow.x", `{"arguments":{"a":1}}`), ""},
		"a string":                    {params("forge.create_issue", `,"arguments":"{\"owner\":\"o\",\"repo\":\"r\"}"`), direct("forge.create_issue", created), text},
		"a string in a string":        {`{"name":"call_tool","arguments":"{\"name\":\"slow.x\",\"arguments\":\" {\\\"n\\\":\\n12345678901234567890} \"}"}`, direct("slow.x", `{"n": 12345678901234567890}`), text},
		"an empty string":             {params("forge.list_issue", `,"arguments":" "`), direct("forge.list_issue", `{}`), empty},
		"too deep":                    {params("forge.create_issue", `,"arguments":{"arguments":`+created+`}`), direct("forge.create_issue", created), nested},
		"too deep, with the name":     {params("forge.create_issue", `,"arguments":{"name":"forge.create_issue","arguments":`+created+`}`), direct("forge.create_issue", created), nested},
		"too deep, as a string":       {params("forge.create_issue", `,"arguments":{"arguments":"{\"owner\":\"o\",\"repo\":\"r\"}"}`), direct("forge.create_issue", created), nested},
		"the tool has arguments":      {params("forge.eval", `,"arguments":{"arguments":{"a":1}}`), direct("forge.eval", `{"arguments":{"a":1}}`), ""},
		"unknown nested ones":         {params("forge.create_issue", `,"arguments":{"arguments":{"own":1}}`), direct("forge.create_issue", `{"arguments":{"own":1}}`), ""},
		"another argument next to it": {params("forge.create_issue", `,"arguments":{"arguments":{},"owner":"o"}`), direct("forge.create_issue", `{"arguments":{},"owner":"o"}`), ""},
		"an open schema":              {params("forge.list_issue", `,"arguments":{"arguments":{}}`), direct("forge.list_issue", `{"arguments":{}}`), ""},
		"another tool's name":         {params("forge.create_issue", `,"arguments":{"name":"forge.x","arguments":{}}`), direct("forge.create_issue", `{"name":"forge.x","arguments":{}}`), ""},
		"next to the name":            {params("forge.create_issue", `, "owner" : "o","rep\u006f":12345678901234567890`), direct("forge.create_issue", `{"owner":"o","rep\u006f":12345678901234567890}`), outside},
		"next to empty arguments":     {params("forge.create_issue", `,"arguments":{},"owner":"o"`), direct("forge.create_issue", `{"owner":"o"}`), outside},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forge()
			f.unlisted = "slow."
			got := call(t, f, c.params).Forward
			if got == nil {
				t.Fatalf("answered: %s", call(t, f, c.params).Result)
			}
			if string(got.Params) != c.want || strings.Join(got.Notes, "|") != c.notes {
				t.Errorf("got  %s %q\nwant %s %q", got.Params, got.Notes, c.want, c.notes)
			}
		})
	}
}

// params returns the params of a call through call_tool; direct returns those of the same
// call made directly.
func params(name, more string) string {
	return `{"name":"call_tool","arguments":{"name":"` + name + `"` + more + `}}`
}

func direct(name, arguments string) string {
	return `{"name":"` + name + `","arguments":` + arguments + `}`
}

func TestInvalidCallsAreRejected(t *testing.T) {
	t.Parallel()
	const form = `Call it like this: {"name": "server.tool", "arguments": {"parameter": "value"}}`
	const create = `. The tool is forge.create_issue(owner*: string, repo*: string, state: "open"|"closed" = "open", labels: string[])`
	for name, c := range map[string]struct{ params, want string }{
		"no arguments":                  {`{"name":"call_tool"}`, "call_tool needs a name. " + form},
		"a list":                        {`{"name":"call_tool","arguments":["forge.list_issue"]}`, "call_tool needs a name. " + form},
		"a string without an object":    {`{"name":"call_tool","arguments":"forge.list_issue"}`, "call_tool needs a name. " + form},
		"no name":                       {`{"name":"call_tool","arguments":{"arguments":{}}}`, "call_tool needs a name, a string returned by search_tools. " + form},
		"a number as name":              {`{"name":"call_tool","arguments":{"name":1}}`, "call_tool needs a name, a string returned by search_tools. " + form},
		"two names":                     {params("forge.eval", `,"n\u0061me":"forge.list_issue"`), "name occurs twice in the call"},
		"arguments twice":               {params("forge.eval", `,"arguments":{},"arguments":{}`), "arguments occurs twice in the call"},
		"arguments twice outside":       {`{"name":"call_tool","arguments":{},"\u0061rguments":{}}`, "arguments occurs twice in the call"},
		"arguments are a list":          {params("forge.create_issue", `,"arguments":[1]`), "call_tool: arguments must be an object. " + form + create},
		"arguments are a string":        {params("slow.x", `,"arguments":"o/r"`), "call_tool: arguments must be an object. " + form},
		"unknown ones next to the name": {params("forge.create_issue", `,"own":1,"a\u001bb":1`), `call_tool: own, "a b" must be inside arguments, if the tool has such parameters. ` + form + create},
		"some inside, some outside":     {params("forge.create_issue", `,"owner":"o","arguments":{"repo":"r"}`), "call_tool: owner must be inside arguments, if the tool has such parameters. " + form + create},
		"an unknown name":               {params("forge.craete", ``), `No tool is named "forge.craete"; nearest: forge.create_issue, forge.delete_issue, forge.list_issue, forge.eval; use search_tools to find tools`},
		"itself":                        {params("call_tool", `,"arguments":{"name":"forge.eval"}`), "call_tool cannot call itself. " + form},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := forge()
			f.unlisted = "slow."
			outcome := call(t, f, c.params)
			if outcome.Forward != nil {
				t.Fatalf("forwarded: %s", outcome.Forward.Params)
			}
			if got := read(t, outcome.Result); !got.IsError || got.text() != c.want {
				t.Errorf("got  %s\nwant %s", got.text(), c.want)
			}
		})
	}
}

func TestCallToolReachesTheOtherTwoAndServersToolsOfTheirNames(t *testing.T) {
	t.Parallel()
	c := forge()
	found := call(t, c, params("search_tools", `,"arguments":{"query":"list_issue"}`))
	if found.Forward != nil || read(t, found.Result).text() != "forge.list_issue() [read-only]" {
		t.Errorf("got %s", found.Result)
	}
	described := call(t, c, params("describe_tools", `,"arguments":{"names":["forge.eval"]}`))
	if described.Forward != nil || !bytes.Contains(described.Result, []byte(`"name":"forge.eval"`)) {
		t.Errorf("got %s", described.Result)
	}
	c.tools = append(c.tools, tool("search_tools", `{"name":"tools"}`))
	if own := call(t, c, `{"name":"search_tools","arguments":{"query":"x"}}`); own.Forward != nil {
		t.Error("a direct call reaches the server's tool")
	}
	if theirs := call(t, c, params("search_tools", ``)); theirs.Forward == nil || theirs.Forward.Name != "search_tools" {
		t.Error("call_tool does not reach the server's tool")
	}
}

// anyObject generates JSON objects that a decoder and encoder would not reproduce.
func anyObject() *rapid.Generator[string] {
	scalar := rapid.SampledFrom([]string{
		"12345678901234567890", "-0", "1.50", "1E+400", "0.1e-7", "null", "true", `"\u0061\/"`, `"\ud800"`, `"é\n"`, `"{\"a\":1}"`, `""`,
	})
	name := rapid.SampledFrom([]string{`"a"`, `"\u0061"`, `"owner"`, `"repo"`, `"name"`, `"arguments"`, `""`, `"z"`})
	space := rapid.SampledFrom([]string{"", "", " ", "\t"})
	var value *rapid.Generator[string]
	object := rapid.Custom(func(t *rapid.T) string {
		var members []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			members = append(members, space.Draw(t, "space")+name.Draw(t, "name")+space.Draw(t, "space")+":"+value.Draw(t, "value"))
		}
		return "{" + strings.Join(members, ",") + space.Draw(t, "space") + "}"
	})
	value = rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			return object.Draw(t, "object")
		case 1:
			return "[" + scalar.Draw(t, "element") + space.Draw(t, "space") + "]"
		}
		return scalar.Draw(t, "scalar")
	})
	return object
}

func TestArgumentsArriveByteForByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		arguments := anyObject().Draw(t, "arguments")
		meta := anyObject().Draw(t, "_meta")
		name := rapid.SampledFrom([]string{"forge.create_issue", "forge.eval", "forge.list_issue"}).Draw(t, "name")
		format := rapid.SampledFrom([]string{
			`{"name":"%s","arguments":%s,"_meta":%s}`, `{ "_meta":%[3]s, "arguments" : %[2]s , "name":"%[1]s" }`,
		}).Draw(t, "format")
		inner := rapid.SampledFrom([]string{`{"name":"%s","arguments":%s}`, ` {"arguments" : %[2]s ,"name":"%[1]s"}`}).Draw(t, "inner")
		outer := fmt.Sprintf(format, "call_tool", strings.TrimSpace(fmt.Sprintf(inner, name, arguments)), meta)
		got := lean.Call(t.Context(), forge(), "call_tool", []byte(outer)).Forward
		if got == nil || !json.Valid(got.Params) {
			t.Fatalf("not forwarded: %s", outer)
		}
		if len(got.Notes) > 0 {
			object := bytes.Contains([]byte(arguments), got.Arguments)
			if text := wire.AppendQuoted(nil, string(got.Arguments)); !object && !bytes.Contains([]byte(arguments), text) || name != "forge.create_issue" {
				t.Fatalf("%s is not within %s", got.Arguments, arguments)
			}
			return
		}
		if want := fmt.Sprintf(format, name, arguments, meta); string(got.Params) != want || string(got.Arguments) != arguments {
			t.Fatalf("got  %s\nwant %s", got.Params, want)
		}
	})
}

func FuzzCall(f *testing.F) {
	for _, seed := range []string{
		`{"name":"call_tool","arguments":{"name":"forge.create_issue","arguments":{"arguments":"{\"owner\":1}"}}}`,
		`{"name":"search_tools","arguments":{"query":"issue","limit":"2","servers":["forge"]}}`,
		`{"name":"describe_tools","arguments":"{\"names\":[\"forge.eval\"]}"}`, params("forge.create_issue", `,"owner":1`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		var s wire.Scanner
		var m wire.Message
		if s.Scan(params, &m) != nil || !wire.Member(params, "name").Present() || params[0] != '{' || bytes.ContainsAny(params, "\r\n") {
			return // the caller has validated the name, and lines contain no line breaks
		}
		for _, name := range []string{"search_tools", "describe_tools", "call_tool"} {
			outcome := lean.Call(t.Context(), forge(), name, params)
			line := outcome.Result
			if outcome.Forward != nil {
				line = outcome.Forward.Params
			}
			if (outcome.Result == nil) == (outcome.Forward == nil) || !json.Valid(line) || bytes.ContainsAny(line, "\r\n") {
				t.Fatalf("%s: %s", name, line)
			}
		}
	})
}
