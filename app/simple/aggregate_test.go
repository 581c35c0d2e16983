package simple_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

type greeting struct {
	Name string `json:"name"`
}

// greeter is an SDK server with the tools greet and wave.
func greeter(s *mcp.Server) {
	answer := func(word string) mcp.ToolHandlerFor[greeting, any] {
		return func(_ context.Context, _ *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: word + " " + in.Name}}}, nil, nil
		}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "greet"}, answer("hello"))
	mcp.AddTool(s, &mcp.Tool{Name: "wave"}, answer("bye"))
}

func TestEveryToolOfEveryServerIsListedInTheOrderOfTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{
			"zebra":     testutil.SDK(greeter),
			"sourcebot": testutil.Raw{Tools: `[{"name":"search_code"},{"name":"a:b"}]`}.Run,
			"alpha":     testutil.SDK(greeter),
		}, "zebra", "sourcebot", "alpha")
		a.Initialize()
		want := []string{"zebra:greet", "zebra:wave", "sourcebot:search_code", "sourcebot:a:b", "alpha:greet", "alpha:wave"}
		if got := a.tools(); !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
	})
}

func TestACallReachesTheToolOfItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"one": testutil.SDK(greeter), "two": testutil.SDK(greeter)}, "one", "two")
		a.Initialize()
		a.Send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"two:wave","arguments":{"name":"you"}}}`)
		a.expect(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"bye you"}]}}`)
	})
}

func TestInitializeIsAnsweredAtOnceWithToolsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := testutil.Program(func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			_, _ = io.Copy(io.Discard, stdio.In)
			return "exit status 0"
		})
		a := startWith(t, simple.Options{Separator: ":", Name: "hub", Version: "1.2.3"}, testutil.Spawner{"silent": silent}, "silent")
		got := a.Initialize()
		want := `{"jsonrpc":"2.0","id":"init","result":{"capabilities":{"tools":{"listChanged":true}},"protocolVersion":"2025-11-25","serverInfo":{"name":"hub","version":"1.2.3"}}}`
		if got != want {
			t.Errorf("initialize:\n got %s\nwant %s", got, want)
		}
	})
}

func TestAnotherSeparatorIsObeyed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := startWith(t, simple.Options{Separator: "__"}, testutil.Spawner{"one": testutil.SDK(greeter)}, "one")
		a.Initialize()
		if got, want := a.tools(), []string{"one__greet", "one__wave"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
		for i, name := range []string{"one__greet", "one:greet"} {
			a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{"name":"you"}}}`, i, name)
			a.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"hello you"}]}}`, i))
		}
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one/greet"}}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Tool name must be prefixed with server key: one/greet; nearest: one__greet"}}`)
	})
}

func TestASlowCallDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var held []string
		slow := testutil.Raw{Tools: `[{"name":"wait"}]`, Handle: func(line, id string, out io.Writer) child.Exit {
			if held = append(held, id); len(held) == 3 { // answers the last first
				for _, id := range slices.Backward(held) {
					testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
				}
			}
			return ""
		}}
		a := start(t, testutil.Spawner{"slow": slow.Run, "fast": testutil.SDK(greeter)}, "slow", "fast")
		a.Initialize()
		a.tools()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow:wait"}}`)
		a.Send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow:wait"}}`)
		a.Send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fast:greet","arguments":{"name":"x"}}}`)
		a.expect(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"hello x"}]}}`)
		a.Send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"slow:wait"}}`)
		a.expect(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		a.expect(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

func TestTwelveServersAreReadyTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		children, keys := testutil.Spawner{}, []string{}
		for i := range 12 {
			key := fmt.Sprintf("server-%02d", i)
			children[key] = testutil.SDK(greeter)
			keys = append(keys, key)
		}
		a := start(t, children, keys...)
		a.Initialize()
		if got := a.tools(); len(got) != 24 || !strings.HasPrefix(got[23], "server-11:") {
			t.Errorf("tools: got %q", got)
		}
	})
}
