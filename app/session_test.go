package app_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
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
			one := testutil.NewPuppet(`[]`)
			a := start(t, testutil.Spawner{"one": one.Run}, "one")
			a.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+params+`}`, asked)
			a.Next()
			a.tools()
			want := fmt.Sprintf(`"params":`+params+`}`, agreed)
			if got := one.Greeting(); !strings.Contains(got, want) {
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
			one := testutil.NewPuppet(`[]`)
			a := start(t, testutil.Spawner{"one": one.Run}, "one")
			a.Initialize()
			a.tools()
			one.Say(`{"jsonrpc":"2.0","id":"q","method":"` + method + `"}`)
			want := refused(`"q"`, "-32601", "Method not found: "+method+": the client has no "+need)
			if got := one.Next(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestAChangedToolListIsReadAgainAndAnnouncedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		children, keys := testutil.Spawner{}, []string{}
		var puppets []*testutil.Puppet
		for i := range 5 {
			p := testutil.NewPuppet(`[{"name":"old"}]`)
			key := fmt.Sprint("s", i)
			puppets, keys, children[key] = append(puppets, p), append(keys, key), p.Run
		}
		a := start(t, children, keys...)
		a.Initialize()
		a.tools()
		for _, p := range puppets {
			p.Offer(`[{"name":"new"},{"name":"newer"}]`)
			p.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		a.expect(listChanged)
		if got := a.tools(); len(got) != 10 || got[9] != "s4:newer" {
			t.Errorf("tools: %q", got)
		}
		time.Sleep(time.Second) // virtual: nothing more is announced
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

func TestAListThatChangesWhileItIsReadIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewPuppet(`[{"name":"a"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		a.tools()
		for i := range 100 {
			one.Offer(fmt.Sprintf(`[{"name":"tool-%d"}]`, i))
			one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		time.Sleep(time.Second) // virtual
		a.expect(listChanged)
		if got, want := a.tools(), []string{"one:tool-99"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
	})
}

func TestABadToolInAListCostsAWarningOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nameless := strings.Repeat(`{"title":"no name"},`, 1000)
		one := testutil.NewPuppet(`[{"name":"good"},` + nameless + `7,{"name":""},{"name":"good"},{"name":"fine"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		if got, want := a.tools(), []string{"one:good", "one:fine"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
		log := a.log.String()
		if n := strings.Count(log, "\n"); n == 0 || n > 10 || !strings.Contains(log, "server=one") {
			t.Errorf("%d lines of warnings, want a few that name the server:\n%s", n, log)
		}
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

// answerInitialize is a child that answers initialize as told and ends.
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
