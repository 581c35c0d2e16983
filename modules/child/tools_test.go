package child_test

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// servePages runs a child that answers tools/list with what page returns for its line:
// the result or, if it begins with "error", the error. It does not answer if page
// returns false.
func servePages(stdio testutil.Stdio, page func(line string) (string, bool)) child.Exit {
	lines := bufio.NewReader(stdio.In)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return "exit status 0"
		}
		var m wire.Message
		if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
			return "exit status 2"
		}
		result := `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`
		if m.MethodIs("tools/list") {
			var ok bool
			if result, ok = page(line); !ok {
				continue
			}
		}
		member := `"result":` + result
		if problem, ok := strings.CutPrefix(result, "error"); ok {
			member = `"error":` + problem
		}
		if m.Kind == wire.Request {
			testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID.Of(m.Line), member)
		}
	}
}

// withPages is a Program with these pages: the first, and those with a cursor.
func withPages(first string, others map[string]string) testutil.Program {
	return func(_ context.Context, stdio testutil.Stdio) child.Exit {
		return servePages(stdio, func(line string) (string, bool) {
			for cursor, page := range others {
				if strings.Contains(line, `"params":{"cursor":`+cursor+`}`) {
					return page, true
				}
			}
			if !strings.Contains(line, `"params":{}`) {
				return `error{"code":-32602,"message":"unknown cursor"}`, true
			}
			return first, true
		})
	}
}

func TestToolsAreRead(t *testing.T) {
	tests := []struct {
		name   string
		first  string
		others map[string]string
		want   string // tools
		log    []string
	}{
		{"no tools", `{"tools":[]}`, nil, "", nil},
		{"one page, as it stands", `{ "tools" : [ {"name":"a","x":1e400,"a":1,"a":2} , {"name" :"b"} ] }`, nil, `{"name":"a","x":1e400,"a":1,"a":2} {"name" :"b"}`, nil},
		{"tools that are none are for the registry to judge", `{"tools":[1,null,"x"]}`, nil, `1 null "x"`, nil},
		{"null for a cursor ends the list", `{"tools":[1],"nextCursor":null}`, nil, "1", nil},
		{"an empty cursor ends the list", `{"tools":[1],"nextCursor":""}`, map[string]string{`""`: `{"tools":[2]}`}, "1", nil},
		{"three pages", `{"tools":[1],"nextCursor":"A"}`, map[string]string{`"A"`: `{"nextCursor":"B","tools":[2,3]}`, `"B"`: `{"tools":[4]}`}, "1 2 3 4", nil},
		{"a cursor is returned byte for byte", `{"tools":[1],"nextCursor":"\u0041\/<é"}`, map[string]string{`"\u0041\/<é"`: `{"tools":[2]}`}, "1 2", nil},
		{"an empty page in between", `{"tools":[],"nextCursor":"A"}`, map[string]string{`"A"`: `{"tools":[2]}`}, "2", nil},
		{
			"a page that points to itself", `{"tools":[1],"nextCursor":"A"}`,
			map[string]string{`"A"`: `{"tools":[2],"nextCursor":"A"}`},
			"1 2",
			[]string{`level=WARN msg="tool list cut short: a page points back to an earlier one" server=a tools=2`},
		},
		{
			"pages in a circle", `{"tools":[1],"nextCursor":"A"}`,
			map[string]string{`"A"`: `{"tools":[2],"nextCursor":"B"}`, `"B"`: `{"tools":[3],"nextCursor":"A"}`},
			"1 2 3",
			[]string{`level=WARN msg="tool list cut short: a page points back to an earlier one" server=a tools=3`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"a": withPages(test.first, test.others)}, child.Options{}, "a")
				c.initializeAll()
				want(t, "state", c.status("a").State, child.Running)
				c.wantTools(strings.TrimSpace("set a " + test.want))
				c.wantLog(test.log...)
			})
		})
	}
}

func TestToolsThatCannotBeRead(t *testing.T) {
	const noArray = "tools/list: the result has no array of tools"
	tests := []struct{ name, first, reason string }{
		{"a result without tools", `{}`, noArray},
		{"tools that are no array", `{"tools":{}}`, noArray},
		{"tools that are null", `{"tools":null}`, noArray},
		{"a result that is no object", `[1]`, noArray},
		{"a result that is null", `null`, noArray},
		{"an error", `error{"code":-32000,"message":"no \u001b[0m"}`, `tools/list: the server answered with the error {"code":-32000,"message":"no \u001b[0m"}`},
		{"an error on a later page", `{"tools":[1],"nextCursor":"none"}`, `tools/list: the server answered with the error {"code":-32602,"message":"unknown cursor"}`},
		{"an error with a secret", `error{"code":-32000,"message":"hunter2 is wrong"}`, `tools/list: the server answered with the error {"code":-32000,"message":"[redacted] is wrong"}`},
		{
			"a long error with a secret where it is cut", `error{"message":"` + strings.Repeat("x", child.TailLineSize-15) + `hunter2"}`,
			`tools/list: the server answered with the error {"message":"` + strings.Repeat("x", child.TailLineSize-15) + "[re...",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startServers(t, testutil.Spawner{"a": withPages(test.first, nil)}, child.Options{}, serverWithSecret("a"))
				c.initializeAll()
				want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Initialization, Reason: test.reason})
				c.wantTools("remove a")
			})
		})
	}
}

// Other endless lists are tested in mcpclient.
func TestAListThatNeverEndsIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tools := strings.Repeat("1,", 30_000-1) + "1"
		next := 0
		c := startManager(t, testutil.Spawner{"a": func(_ context.Context, stdio testutil.Stdio) child.Exit {
			return servePages(stdio, func(string) (string, bool) {
				next++
				return fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, tools, next), true
			})
		}}, child.Options{}, "a")
		c.initializeAll()
		want(t, "tools", c.status("a").Tools, child.MaxTools)
		c.wantLog(`level=WARN msg="tool list cut short: too many tools" server=a tools=100000`)
	})
}

func TestAPageOfTooManyToolsIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := `{"tools":[` + strings.Repeat("1,", child.MaxTools) + `1]}`
		c := startManager(t, testutil.Spawner{"a": withPages(page, nil)}, child.Options{}, "a")
		c.initializeAll()
		want(t, "tools", c.status("a").Tools, child.MaxTools)
		c.wantLog(`level=WARN msg="tool list cut short: too many tools" server=a tools=100000`)
	})
}
