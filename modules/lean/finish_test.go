package lean_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/wire"
)

// finished returns the response as the client sees it.
func finished(t interface{ Fatalf(string, ...any) }, f *lean.Forward, answer string) string {
	var s wire.Scanner
	var m wire.Message
	if err := s.Scan([]byte(answer), &m); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	line := wire.Replace(m.Line, append(f.Edits(&m), wire.Edit{Span: m.ID, With: []byte("9")})...)
	if !json.Valid(line) {
		t.Fatalf("invalid JSON: %s", line)
	}
	return string(line)
}

// forwarded returns a call of forge.create_issue with the given arguments.
func forwarded(arguments string, notes ...string) *lean.Forward {
	return &lean.Forward{Name: "forge.create_issue", Tool: forge().tools[0].Tool, Arguments: []byte(arguments), Notes: notes}
}

func TestResponsesGetNotesAndSchemas(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"owner":{"type":"string"},"repo":{"type":"string"},"state":{"enum":["open","closed"],"default":"open"},"labels":{"type":"array","items":{"type":"string"}}},"required":["owner","repo"]}`
	advice := func(problems string) string {
		return string(wire.AppendQuoted([]byte(`{"type":"text","text":`),
			"The arguments do not match the input schema of forge.create_issue: "+problems+". The schema: "+schema)) + "}"
	}
	const note = `"mcp-aggregator/notes":["read so"]`
	for name, c := range map[string]struct {
		call         *lean.Forward
		answer, want string // the members after "id":1 and "id":9
	}{
		"a success":                              {forwarded(`{}`), `"result":{"content":[]}`, ""},
		"a success of a corrected call":          {forwarded(created, "read so"), `"result": {"content":[] }`, `"result": {"content":[] ,"_meta":{` + note + `}}`},
		"an empty success":                       {forwarded(created, "read so"), `"result":{}`, `"result":{"_meta":{` + note + `}}`},
		"a success with _meta":                   {forwarded(created, "read so"), `"result":{"_meta":{"a":1.0},"content":[]}`, `"result":{"_meta":{"a":1.0,` + note + `},"content":[]}`},
		"a success with an empty _meta":          {forwarded(created, "read so"), `"result":{"_meta":{ }}`, `"result":{"_meta":{ ` + note + `}}`},
		"a success with an invalid _meta":        {forwarded(created, "read so"), `"result":{"_meta":[]}`, ""},
		"a failure":                              {forwarded(created), `"result":{"content":[{"type":"text","text":"no such repo"}],"isError":true}`, ""},
		"a failure of wrong arguments":           {forwarded(`{"owner":1}`), `"result":{"isError":true,"content":[{"type":"text","text":"bad"}]}`, `"result":{"isError":true,"content":[{"type":"text","text":"bad"},` + advice("repo is missing; owner must be a string, not a number") + `]}`},
		"a failure with empty content":           {forwarded(`{"owner":"o"}`), `"result":{"isError":true,"content":[ ]}`, `"result":{"isError":true,"content":[ ` + advice("repo is missing") + `]}`},
		"a failure without content":              {forwarded(`{}`), `"result":{"isError":true}`, ""},
		"isError deeper":                         {forwarded(`{}`), `"result":{"structuredContent":{"isError":true},"content":[]}`, ""},
		"an error about params":                  {forwarded(created), `"error":{"code":-32602,"message":"bad"}`, `"error":{"code":-32602,"message":"bad","data":{"inputSchema":` + schema + `}}`},
		"an error about params that are wrong":   {forwarded(`{"owner":"o"}`), `"error":{"code":-32602,"message":"bad","data":null}`, `"error":{"code":-32602,"message":"bad","data":{"inputSchema":` + schema + `,"problems":"repo is missing"}}`},
		"an error with data":                     {forwarded(created), `"error":{"code":-32602,"data":{"x":1.0},"message":"bad"}`, `"error":{"code":-32602,"data":{"x":1.0,"inputSchema":` + schema + `},"message":"bad"}`},
		"an error whose data is not an object":   {forwarded(created), `"error":{"code":-32602,"data":"x","message":"bad"}`, ""},
		"an error with a schema":                 {forwarded(created), `"error":{"code":-32602,"data":{"inputSchema":1},"message":"bad"}`, ""},
		"another error":                          {forwarded(created), `"error":{"code":-32000,"message":"down"}`, ""},
		"another error, and arguments are wrong": {forwarded(`{"owner":"o"}`), `"error":{"code":-32000,"message":"x"}`, `"error":{"code":-32000,"message":"x","data":{"inputSchema":` + schema + `,"problems":"repo is missing"}}`},
		"an error of a tool that is not listed":  {&lean.Forward{Name: "slow.x", Arguments: []byte(`{}`)}, `"error":{"code":-32602,"message":"x"}`, ""},
		"a result that is not an object":         {forwarded(`{}`, "read so"), `"result":[1]`, ""},
		"a result with a carriage return":        {forwarded(`{}`), `"result":{"content":[]` + "\r" + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.want == "" {
				c.want = c.answer
			}
			if got := finished(t, c.call, `{"id":1,`+c.answer+`}`); got != `{"id":9,`+c.want+`}` {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestLargeSchemasAreNotAddedToErrors(t *testing.T) {
	t.Parallel()
	large := `{"properties":{"q":{"type":"string","description":"` + strings.Repeat("x", 20<<10) + `"}},"required":["q"]}`
	f := &lean.Forward{Name: "a.b", Tool: tool("a.b", `{"inputSchema":`+large+`}`).Tool, Arguments: []byte(`{}`)}
	got := finished(t, f, `{"id":1,"result":{"isError":true,"content":[]}}`)
	if want := "q is missing. Its signature is (q*: string); describe_tools returns the whole schema."; !strings.Contains(got, want) || len(got) > 1000 {
		t.Errorf("%d bytes: %.500s", len(got), got)
	}
	if got := finished(t, f, `{"id":1,"error":{"code":-32602,"message":"m"}}`); got != `{"id":9,"error":{"code":-32602,"message":"m"}}` {
		t.Errorf("got %.500s", got)
	}
}

func TestSuccessesStayByteForByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		result := anyObject().Draw(t, "result")
		answer := `{"jsonrpc":"2.0","id":1,"result":` + result + `}`
		want := strings.Replace(answer, `"id":1`, `"id":9`, 1)
		if got := finished(t, forwarded(`{}`), answer); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}
