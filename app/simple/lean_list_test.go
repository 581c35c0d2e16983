package simple_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/testutil"
)

var three = []string{"search_tools", "describe_tools", "call_tool"}

// lean calls one of the three tools and returns the text of the result.
func (a *aggregator) lean(name, arguments string) string {
	a.t.Helper()
	a.Send(`{"jsonrpc":"2.0","id":"lean","method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	if line := a.Next(); json.Unmarshal([]byte(line), &answer) != nil || len(answer.Result.Content) != 1 {
		a.t.Fatalf("%s: %s", name, line)
	}
	return answer.Result.Content[0].Text
}

// purpose returns the description of search_tools.
func (a *aggregator) purpose() string {
	a.t.Helper()
	a.Send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	var answer struct {
		Result struct {
			Tools []struct{ Description string }
		}
	}
	if line := a.Next(); json.Unmarshal([]byte(line), &answer) != nil || len(answer.Result.Tools) == 0 {
		a.t.Fatalf("tools/list: %s", line)
	}
	return answer.Result.Tools[0].Description
}

func TestALeanListHasThreeToolsAndThePinnedOnes(t *testing.T) {
	for name, c := range map[string]struct {
		o      simple.Options
		client string
		want   []string
	}{
		"three":                      {simple.Options{}, "t", nil},
		"pins":                       {simple.Options{Pin: []string{"two:*", "*:a.?"}}, "t", []string{"one:a.b", "two:a.b", "two:z"}},
		"pins that match none":       {simple.Options{Pin: []string{"three:*"}}, "t", nil},
		"pins under aliases":         {simple.Options{Pin: []string{"one:a.b"}}, "claude-ai", []string{"one__a_b"}},
		"what is hidden stays so":    {simple.Options{Pin: []string{"*"}, Deny: []string{"two:*"}}, "t", []string{"one:a.b", "one:z"}},
		"pins with a separator":      {simple.Options{Pin: []string{"one:z"}, Separator: "--"}, "t", []string{"one--z"}},
		"everything may be pinned":   {simple.Options{Pin: []string{"*"}}, "t", []string{"one:a.b", "one:z", "two:a.b", "two:z"}},
		"a pin is for canonical one": {simple.Options{Pin: []string{"one__a_b"}}, "claude-ai", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if c.o.Separator == "" {
					c.o.Separator = "auto"
				}
				c.o.Lean = true
				tools := echoOf(`[{"name":"a.b"},{"name":"z"}]`)
				a := startWith(t, c.o, testutil.Spawner{"one": tools, "two": after(time.Second, tools)}, "one", "two")
				a.InitializeAs(c.client)
				if got := a.tools(); !slices.Equal(got, slices.Concat(three, c.want)) {
					t.Errorf("tools: %q", got)
				}
			})
		})
	}
}

func TestAStrictClientSeesAndCallsAliasesInTheLeanMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startWith(t, simple.Options{Separator: "auto", Lean: true}, testutil.Spawner{"a.b": echoOf(`[{"name":"read file","description":"Reads."}]`)}, "a.b")
		a.InitializeAs("claude-ai")
		if got, want := a.lean("search_tools", `{"query":"read a file"}`), `a_b__read_file() - Reads.`; got != want {
			t.Errorf("search: %s", got)
		}
		if got, want := a.lean("describe_tools", `{"names":["a_b__read_file"]}`), `{"name":"a_b__read_file","description":"Reads."}`; got != want {
			t.Errorf("describe: %s", got)
		}
		for _, name := range []string{"a_b__read_file", "a.b:read file"} {
			a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":%q}}}`, name)
			a.expect(`{"jsonrpc":"2.0","id":1,"result":{"called":"read file"}}`)
		}
	})
}

func TestALeanListNamesTheServersAndWhatTheyAreFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		titled, told := testutil.NewManualChild(`[{"name":"x"}]`), testutil.NewManualChild(`[{"name":"x"}]`)
		titled.Initialize = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"n","title":"Issues\u202e & <more>","version":1}}`
		told.Initialize = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"instructions":"Reads mail. Ask first.","serverInfo":{"name":"n","version":"1"}}`
		a := startLean(t, testutil.Spawner{"titled": titled.Run, "told": after(time.Second, told.Run)}, "told", "titled", "gone")
		a.Initialize()
		got := a.purpose()
		if want := "Servers:\ntitled: Issues & <more>\ntold: Reads mail."; !strings.HasSuffix(got, want) {
			t.Errorf("got %q", got)
		}
		// What a server says of itself is found, too.
		if got := a.lean("search_tools", `{"query":"mail","limit":1}`); got != "told:x()" {
			t.Errorf("search: %s", got)
		}
	})
}

func TestChangesAreAnnouncedOnlyIfTheLeanListChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := testutil.NewManualChild(`[{"name":"a"}]`), testutil.NewManualChild(`[{"name":"z"}]`)
		a := startWith(t, simple.Options{Separator: ":", Lean: true, Pin: []string{"one:p*"}}, testutil.Spawner{"one": one.Run, "two": two.Run}, "one", "two")
		a.Initialize()
		a.tools()
		announced := func(tools string) bool {
			t.Helper()
			one.SetTools(tools)
			one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			time.Sleep(time.Second) // virtual
			a.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			line := a.Next()
			if line == listChanged {
				a.expect(answered(1))
			}
			return line == listChanged
		}
		for _, c := range []struct {
			why, tools string
			want       bool
		}{
			{"another tool", `[{"name":"a"},{"name":"b","description":"spreadsheets"}]`, false},
			{"a pinned tool", `[{"name":"a"},{"name":"p"}]`, true},
			{"the pinned tool's definition", `[{"name":"a"},{"name":"p","title":"P"}]`, true},
			{"not the pinned tool's", `[{"name":"c"},{"name":"p","title":"P"}]`, false},
			{"the server has no tools", `[]`, true},
			{"it has some again", `[{"name":"a"}]`, true},
		} {
			if got := announced(c.tools); got != c.want {
				t.Errorf("%s: announced %t, want %t", c.why, got, c.want)
			}
		}
		if got := a.lean("search_tools", `{"query":"spreadsheets"}`); !strings.HasPrefix(got, "No tool matches") {
			t.Errorf("a tool that is gone is found: %s", got)
		}
		two.Exit("exit status 1")
		a.expect(listChanged)
	})
}

func TestASearchWaitsForServersAsAListDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, soon := echoOf(`[{"name":"x","description":"invoices, late"}]`), echoOf(`[{"name":"x","description":"invoices"}]`)
		a := startLean(t, testutil.Spawner{"late": after(12*time.Second, late), "soon": after(3*time.Second, soon)}, "late", "soon")
		a.Initialize()
		began := time.Now()
		for _, call := range []struct{ name, arguments string }{
			{"search_tools", `{"query":"invoices"}`},
			{"call_tool", `{"name":"search_tools","arguments":{"query":"invoices"}}`},
		} {
			if got := a.lean(call.name, call.arguments); got != "soon:x() - invoices" {
				t.Errorf("%s: %s", call.name, got)
			}
			if waited := time.Since(began); waited != 10*time.Second {
				t.Errorf("the answer came after %v, want 10s", waited)
			}
		}
		time.Sleep(5 * time.Second) // virtual
		if got := a.lean("search_tools", `{"query":"late invoices"}`); !strings.HasPrefix(got, "late:x() - invoices, late\n") {
			t.Errorf("search: %s", got)
		}
	})
}

func TestASearchFindsTheToolsOfAServerThatIsJustReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tools []string
		for n := range 3000 {
			tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"does what number %d does"}`, n, n))
		}
		one := echoOf(`[` + strings.Join(tools, ",") + `]`)
		a := startLean(t, testutil.Spawner{"one": after(time.Second, one)}, "one")
		a.Initialize()
		if got := a.lean("search_tools", `{"query":"2999","limit":1}`); got != "one:tool_2999() - does what number 2999 does" {
			t.Errorf("search: %s", got)
		}
		if got := a.lean("describe_tools", `{"names":["one:tool_7"]}`); got != `{"name":"one:tool_7","description":"does what number 7 does"}` {
			t.Errorf("describe: %s", got)
		}
	})
}

func TestASearchThatIsCancelledIsNotAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startLean(t, testutil.Spawner{"late": after(time.Hour, tool(answering))}, "late")
		a.Initialize()
		for id := range 2 {
			a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"x"}}}`, id)
		}
		synctest.Wait()
		a.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)
		if got := a.Next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"result":`) || !strings.Contains(got, "no server has tools yet") {
			t.Errorf("got %s", got)
		}
		a.Send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		a.expect(answered(2))
	})
}

func TestSearchesAreAnsweredAfterTheClientHasClosedItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startLean(t, testutil.Spawner{"one": after(5*time.Second, echoOf(`[{"name":"x"}]`))}, "one")
		a.Initialize()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"x"}}}`)
		a.Close()
		if got := a.Next(); !strings.Contains(got, `"text":"one:x()"`) {
			t.Errorf("got %s", got)
		}
		<-a.server.Done()
	})
}

func TestSearchesDoNotKeepTheProgramFromStopping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startLean(t, testutil.Spawner{"late": after(time.Hour, tool(answering))}, "late")
		a.Initialize()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_tools","arguments":{"query":"x"}}}`)
		synctest.Wait()
		began := time.Now()
		if err := a.server.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited != 0 {
			t.Errorf("stopping took %v", waited)
		}
		if got := a.Next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"result":`) {
			t.Errorf("got %s", got)
		}
	})
}
