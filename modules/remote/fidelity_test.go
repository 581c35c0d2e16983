package remote_test

import (
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// A response keeps every byte but its id. The line ends around it are not part of it.
func TestResultsAndErrorsArriveByteForByte(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			var said string
			b := (&backend{documents: by.documents, tools: `[{"name":"x"}]`, handle: func(x exchange) {
				x.send("%s", strings.Replace(said, "ID", x.id, 1))
			}}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			for name, result := range testutil.Results() {
				for _, envelope := range []string{`{"jsonrpc":"2.0","id":ID,` + result + `}`, `{` + result + `,"id":ID,"jsonrpc":"2.0"}`} {
					said = envelope
					got := c.result(c.callTool("x"))
					before, after, _ := strings.Cut(envelope, "ID")
					id := strings.TrimSuffix(strings.TrimPrefix(got, before), after)
					if got != before+id+after || strings.Trim(id, "0123456789") != "" {
						t.Errorf("%s: %.300s came as %.300s", name, envelope, got)
					}
				}
			}
		})
	}
}

func TestCallsReachTheServerByteForByte(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			seen := make(chan string, 1)
			b := (&backend{documents: by.documents, handle: func(x exchange) {
				seen <- strings.Replace(x.line, x.id, "ID", 1)
				x.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, x.id)
			}}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			for name, line := range testutil.Requests() {
				c.result(c.call(testutil.Fill(line, `12345.60`, `"theirs"`), `"x y"`))
				if got, want := <-seen, testutil.Fill(line, "ID", `"x y"`); got != want {
					t.Errorf("%s: the server saw %.300s, want %.300s", name, got, want)
				}
			}
		})
	}
}

func TestDefinitionsOfToolsArriveByteForByte(t *testing.T) {
	definitions := []string{
		`{"name":"a","description":"<d>","inputSchema":{"type":"object","$ref":"#/$defs/x","properties":{"q":{"x-mcp-header":"Bad Header!","maximum":9007199254740993}}}}`,
		`{ "zeta": 1e400, "inputSchema": {"type": ["object","null"]}, "name" : "\u0062", "execution":{"taskSupport":"optional"} }`,
		`{"name":"c","inputSchema":true,"a":1,"a":2}`,
		`"no object"`,
	}
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			b := (&backend{documents: by.documents, list: func(params string) string {
				if strings.Contains(params, `"\u0070age"`) {
					return `{"tools":[` + strings.Join(definitions[2:], " , ") + `],"nextCursor":""}`
				}
				return `{"nextCursor":"\u0070age","tools":[` + strings.Join(definitions[:2], ",") + `]}`
			}}).start(t)
			c := connect(t, by.transport, b.url(by.transport))
			if got := await(t, "the tools", c.tools); strings.Join(got, "\n") != strings.Join(definitions, "\n") {
				t.Errorf("the tools are\n%s", strings.Join(got, "\n"))
			}
			if len(c.tools) > 0 {
				t.Error("they came twice")
			}
		})
	}
}
