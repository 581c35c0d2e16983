package simple_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

func TestTheChildSeesTheRealClient(t *testing.T) {
	const params = `{"capabilities":{"experimental":{"x":{"n":9007199254740993}},"future":{},"sampling":{"tools":{}}},"protocolVersion":%q,"clientInfo":{"version":"1.0","name":"\u0041","icons":[],"zeta":1e400},"_meta":{"a/b":1}}`
	for asked, agreed := range map[string]string{"2024-11-05": "2024-11-05", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			one := testutil.NewManualChild(`[]`)
			a := start(t, testutil.Spawner{"one": one.Run}, "one")
			a.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+params+`}`, asked)
			a.Next()
			a.tools()
			want := fmt.Sprintf(`"params":`+params+`}`, agreed)
			if got := one.InitializeLine(); !strings.Contains(got, want) {
				t.Errorf("the child saw\n     %s\nwant %s in it", got, want)
			}
		})
	}
}

func TestWhatTheClientDidNotDeclareIsRefused(t *testing.T) {
	for method, need := range map[string]string{
		"sampling/createMessage": "sampling", "elicitation/create": "elicitation", "roots/list": "roots",
	} {
		synctest.Test(t, func(t *testing.T) {
			one := testutil.NewManualChild(`[]`)
			a := start(t, testutil.Spawner{"one": one.Run}, "one")
			a.Initialize()
			a.tools()
			one.Say(`{"jsonrpc":"2.0","id":"q","method":"` + method + `"}`)
			want := refused(`"q"`, "-32601", "Method not found: "+method+": the client does not support "+need)
			if got := one.Next(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestCallsThatWaitForAChildReachItInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		a := start(t, testutil.Spawner{"one": after(time.Second, one.Run)}, "one")
		a.Initialize()
		for n := range 30 {
			a.Send(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"one:x","arguments":%d}}`, n, n)
		}
		time.Sleep(2 * time.Second) // virtual
		a.Send(`{"jsonrpc":"2.0","id":30,"method":"tools/call","params":{"name":"one:x","arguments":30}}`)
		for n := range 31 {
			if line := one.Next(); !strings.HasSuffix(line, fmt.Sprintf(`"arguments":%d}}`, n)) {
				t.Fatalf("call %d: the child sees %s", n, line)
			}
		}
	})
}

func TestWhatTheClientTellsEarlyReachesAChildThatComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[]`)
		a := start(t, testutil.Spawner{"one": after(time.Second, one.Run)}, "one")
		a.Initialize()
		const told = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
		a.Send(told)
		if got := one.Next(); got != told {
			t.Errorf("the child sees %s", got)
		}
	})
}

func TestAChildSpeaksToTheClientOnlyWhenThatIsInitialized(t *testing.T) {
	const early = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"early"}}`
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		synctest.Wait()
		one.Say(early)
		a.Send("%s", hello)
		synctest.Wait()
		one.Say(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		synctest.Wait()
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if got := a.Next(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":0,"result":`) {
			t.Errorf("before the answer to initialize comes %s", got)
		}
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		a.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		a.expect(early)
		a.expect(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	})
}

func TestRequestsOfAFailedChildAreCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"bad": func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			lines := bufio.NewReader(stdio.In)
			if _, err := lines.ReadString('\n'); err != nil {
				return "exit status 2"
			}
			go func() { _, _ = io.Copy(io.Discard, lines) }() // ends with the child
			testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`)
			for n := range 15 {
				select {
				case <-time.After(100 * time.Millisecond):
					testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, n)
				case <-ctx.Done():
				}
			}
			return ""
		}}, "bad")
		a.Send("%s", hello)
		a.Next()
		a.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		time.Sleep(5 * time.Second) // virtual
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		asked, cancelled := 0, 0
		for line := a.Next(); !strings.Contains(line, `"id":1,"result":{}`); line = a.Next() {
			asked += strings.Count(line, "roots/list")
			cancelled += strings.Count(line, "notifications/cancelled")
		}
		if asked != cancelled || asked > 2 { // it has failed after a tenth of a second
			t.Errorf("%d requests and %d cancellations", asked, cancelled)
		}
	})
}

func TestOddParamsOfInitializeAreForTheChildrenToJudge(t *testing.T) {
	const params = `{"protocolVersion":"2025-11-25","capabilities":{"sampling":true,"roots":false,"experimental":{"n":1e400}},"clientInfo":{"name":"t","version":1.0}}`
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		one.Initialize = `{"protocolVersion":"2025-11-25","capabilities":{"tools":true,"experimental":{"n":1e400}},"serverInfo":{"name":"s","version":1}}`
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":` + params + `}`)
		if got := a.Next(); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
			t.Errorf("initialize: %s", got)
		}
		if got := a.tools(); len(got) != 1 {
			t.Errorf("tools: %q", got)
		}
		if got := one.InitializeLine(); !strings.HasSuffix(got, `"params":`+params+`}`) {
			t.Errorf("the child saw %s", got)
		}
	})
}

func TestAnInitializeWithoutAVersionIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{})
		for _, params := range []string{`[]`, `{}`, `{"protocolVersion":7}`, `7`} {
			a.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}`, params)
			a.expect(refused("0", "-32602", "initialize: protocolVersion must be a string"))
		}
		a.Initialize()
	})
}

func TestARequestWithoutAnIDIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		a.tools()
		for _, method := range []string{"tools/call", "tools/list", "ping", "initialize"} {
			a.Send(`{"jsonrpc":"2.0","method":%q,"params":{"name":"one:x"}}`, method)
		}
		synctest.Wait()
		if !one.Idle() {
			t.Errorf("the child sees %s", one.Next())
		}
	})
}

func TestAChildWithTooManyOpenRequestsIsRefusedMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Send("%s", hello)
		a.Next()
		a.tools()
		const limit = 10_000
		for n := range limit {
			one.Say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, n))
			a.Next()
		}
		one.Say(`{"jsonrpc":"2.0","id":"more","method":"roots/list"}`)
		want := refused(`"more"`, "-32603", "Too many requests that the client has not answered")
		if got := one.Next(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		a.Send(`{"jsonrpc":"2.0","id":1,"result":{}}`) // makes room for one
		one.Next()
		one.Say(`{"jsonrpc":"2.0","id":"again","method":"roots/list"}`)
		a.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, limit+1))
	})
}

func TestAChildOfTheStatelessRevisionOnlyIsReportedAsSuch(t *testing.T) {
	for _, answer := range []string{
		`"error":{"code":-32601,"message":"Method not found"}`,
		`"error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}`,
		`"result":{"protocolVersion":"2026-07-28","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			a := start(t, testutil.Spawner{"new": answerInitialize(answer)}, "new")
			a.Initialize()
			if got := a.tools(); len(got) != 0 {
				t.Errorf("tools: %q", got)
			}
			synctest.Wait()
			if log := a.log.String(); !strings.Contains(log, "server=new phase=initialization") || !strings.Contains(log, "2026-07-28") {
				t.Errorf("the report names neither server nor revision: %s", log)
			}
		})
	}
}

// answerInitialize returns a child that responds to initialize with those members.
func answerInitialize(members string) testutil.Program {
	return func(_ context.Context, stdio testutil.Stdio) child.Exit {
		line, err := bufio.NewReader(stdio.In).ReadString('\n')
		if err != nil {
			return "exit status 0"
		}
		var m wire.Message
		if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
			return "exit status 2"
		}
		testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":%s,%s}`, m.ID.Of(m.Line), members)
		_, _ = io.Copy(io.Discard, stdio.In) // until it is stopped
		return "exit status 0"
	}
}
