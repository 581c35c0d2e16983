package simple_test

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/clienttest"
)

// echoOf returns a child whose results hold the name in the call.
func echoOf(tools string) testutil.Program {
	return testutil.Raw{Tools: tools, Handle: func(line, id string, out io.Writer) child.Exit {
		name := regexp.MustCompile(`"name":("[^"]*")`).FindStringSubmatch(line)[1]
		testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{"called":%s}}`, id, name)
		return ""
	}}.Run
}

func TestEachClientListsAndCallsEveryToolUnderNamesThatItTakes(t *testing.T) {
	const tools = `[{"name":"read_file"},{"name":"read-file"},{"name":"a.b/c d"},{"name":"the_tool_with_a_name_that_goes_on_for_much_longer_than_anybody_would_like"}]`
	for key, row := range clienttest.Rows() {
		if row.Accepts == "" {
			continue
		}
		t.Run(key, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := startWith(t, simple.Options{Separator: "auto"}, testutil.Spawner{"one": echoOf(tools), "3.two": echoOf(tools)}, "one", "3.two")
				a.InitializeAs(row.Info)
				names := a.tools()
				if len(names) != 8 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != 8 {
					t.Fatalf("tools: %q", names)
				}
				own := []string{"read_file", "read-file", "a.b/c d", "the_tool_with_a_name_that_goes_on_for_much_longer_than_anybody_would_like"}
				for i, name := range names {
					if !regexp.MustCompile(row.Accepts).MatchString(name) {
						t.Errorf("%q is refused", name)
					}
					canonical := []string{"one", "3.two"}[i/4] + ":" + own[i%4]
					for _, called := range []string{name, canonical} {
						a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i, called)
						a.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"called":%q}}`, i, own[i%4]))
					}
				}
			})
		})
	}
}

func TestAClientThatIsNotKnownSeesCanonicalNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startWith(t, simple.Options{Separator: "auto"}, testutil.Spawner{"one": echoOf(`[{"name":"x"}]`)}, "one")
		a.InitializeAs("claude-ai-fork")
		if got := a.tools(); !slices.Equal(got, []string{"one:x"}) {
			t.Errorf("tools: %q", got)
		}
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one__x"}}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Tool name must be prefixed with server key: one__x; nearest: one:x"}}`)
	})
}

func TestACallUnderAnAliasWaitsForItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := make(chan struct{})
		quick := echoOf(`[{"name":"x.y"}]`)
		slow := func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			<-begin
			return quick(ctx, stdio)
		}
		a := startWith(t, simple.Options{Separator: "auto"}, testutil.Spawner{"a.b": slow}, "a.b")
		a.InitializeAs("claude-ai")
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_b__x_y"}}`)
		a.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"c__x_y"}}`)
		a.expect(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Tool not found: c__x_y; there is no such server"}}`)
		close(begin)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{"called":"x.y"}}`)
	})
}

func TestAnErrorNamesTheToolAsTheClientDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		crash := testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(string, string, io.Writer) child.Exit { return "exit status 3" }}
		a := startWith(t, simple.Options{Separator: "auto"}, testutil.Spawner{"a.b": crash.Run}, "a.b")
		a.InitializeAs("claude-ai")
		a.tools()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a_b__x"}}`)
		a.Next() // the call ends with its server
		synctest.Wait()
		a.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a_b__x"}}`)
		got := a.Next()
		if want := `"message":"Tool not found: a_b__x","data":{"server":"a.b","status":"failed"`; !regexp.MustCompile(regexp.QuoteMeta(want)).MatchString(got) {
			t.Errorf("got %s", got)
		}
	})
}
