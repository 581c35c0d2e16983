package simple_test

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

func TestAChangedToolListIsReadAgainAndAnnouncedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		children, keys := testutil.Spawner{}, []string{}
		var puppets []*testutil.ManualChild
		for i := range 5 {
			p := testutil.NewManualChild(`[{"name":"old"}]`)
			key := fmt.Sprint("s", i)
			puppets, keys, children[key] = append(puppets, p), append(keys, key), p.Run
		}
		a := start(t, children, keys...)
		a.Initialize()
		a.tools()
		for _, p := range puppets {
			p.SetTools(`[{"name":"new"},{"name":"newer"}]`)
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
		one := testutil.NewManualChild(`[{"name":"a"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		a.tools()
		for i := range 100 {
			one.SetTools(fmt.Sprintf(`[{"name":"tool-%d"}]`, i))
			one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		time.Sleep(time.Second) // virtual
		a.expect(listChanged)
		if got, want := a.tools(), []string{"one:tool-99"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
	})
}

func TestAChildWhoseListNeverRestsIsReadMoreSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists atomic.Int32
		restless := testutil.Program(func(_ context.Context, stdio testutil.Stdio) child.Exit {
			for lines := bufio.NewScanner(stdio.In); lines.Scan(); {
				var m wire.Message
				if err := new(wire.Scanner).Scan(lines.Bytes(), &m); err != nil {
					return "exit status 2"
				}
				switch {
				case m.MethodIs("initialize"):
					testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"r","version":"1"}}}`, m.ID.Of(m.Line))
				case m.MethodIs("tools/list"):
					n := lists.Add(1)
					testutil.Say(stdio.Out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
					testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t%d"}]}}`, m.ID.Of(m.Line), n)
				}
			}
			return "exit status 0"
		})
		a := start(t, testutil.Spawner{"one": restless}, "one")
		a.Initialize()
		a.tools()
		time.Sleep(time.Minute) // virtual
		if n := lists.Load(); n > 20 {
			t.Errorf("the list was read %d times within a minute", n)
		}
		if log := a.log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "server=one") {
			t.Errorf("want one warning that names the server, got %q", log)
		}
	})
}

func TestChangesWithin50MillisecondsAreAnnouncedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := testutil.NewManualChild(`[]`), testutil.NewManualChild(`[]`)
		a := start(t, testutil.Spawner{"one": one.Run, "two": two.Run}, "one", "two")
		a.Initialize()
		a.tools()
		began := time.Now()
		one.SetTools(`[{"name":"x"}]`)
		one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		time.Sleep(40 * time.Millisecond) // virtual
		two.SetTools(`[{"name":"x"}]`)
		two.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		a.expect(listChanged)
		if took := time.Since(began); took != 50*time.Millisecond {
			t.Errorf("announced after %v, want 50ms", took)
		}
		if got := a.tools(); len(got) != 2 {
			t.Errorf("tools: %q", got)
		}
	})
}

func TestAChangedListThatCannotBeReadLeavesTheToolsAsTheyWere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		a.tools()
		one.SetTools(`"nonsense"`)
		one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		time.Sleep(time.Second) // virtual
		if got, want := a.tools(), []string{"one:x"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
		want := "level=WARN msg=\"changed tool list not read\" server=one reason=\"tools/list: the result has no array of tools\"\n"
		if got := a.log.String(); got != want {
			t.Errorf("log:\n got %q\nwant %q", got, want)
		}
		one.SetTools(`[{"name":"y"}]`)
		one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		a.expect(listChanged)
		if got, want := a.tools(), []string{"one:y"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
	})
}

func TestAChangedListThatIsNeverAnsweredIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Initialize()
		a.tools()
		one.SetTools(``) // makes it answer nothing
		one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		time.Sleep(61 * time.Second) // virtual
		if log := a.log.String(); !strings.Contains(log, `msg="changed tool list not read" server=one reason="tools/list: context deadline exceeded"`) {
			t.Errorf("log: %s", log)
		}
		one.SetTools(`[{"name":"y"}]`)
		one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		a.expect(listChanged)
	})
}

func TestNoChangeIsAnnouncedToAClientThatIsNotInitialized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := testutil.NewManualChild(`[{"name":"x"}]`)
		a := start(t, testutil.Spawner{"one": one.Run}, "one")
		a.Send("%s", hello)
		a.Next()
		synctest.Wait()
		one.SetTools(`[{"name":"y"}]`)
		one.Say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		time.Sleep(time.Second) // virtual
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		a.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	})
}

func TestABadToolInAListCostsAWarningOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nameless := strings.Repeat(`{"title":"no name"},`, 1000)
		one := testutil.NewManualChild(`[{"name":"good"},` + nameless + `7,{"name":""},{"name":"good"},{"name":"fine"}]`)
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
