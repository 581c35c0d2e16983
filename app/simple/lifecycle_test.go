package simple_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// tool returns a raw child with one tool x, whose calls handle answers.
func tool(handle func(id string, out io.Writer) child.Exit) testutil.Program {
	return testutil.Raw{Tools: `[{"name":"x"}]`, Handle: func(_, id string, out io.Writer) child.Exit { return handle(id, out) }}.Run
}

func answering(id string, out io.Writer) child.Exit {
	testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
	return ""
}

func silent(string, io.Writer) child.Exit { return "" }

// after returns a program that starts to read after a delay.
func after(d time.Duration, program testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		select {
		case <-time.After(d):
			return program(ctx, stdio)
		case <-ctx.Done():
			return ""
		}
	}
}

func call(id int, name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, name)
}

func answered(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

func TestAChildThatDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pending := 0
		dying := tool(func(string, io.Writer) child.Exit {
			if pending++; pending == 3 {
				return "exit status 7"
			}
			return ""
		})
		a := start(t, testutil.Spawner{"dying": dying, "well": tool(answering)}, "dying", "well")
		a.Initialize()
		a.tools()
		for id := range 3 {
			a.Send("%s", call(id, "dying:x"))
		}
		for id := range 3 {
			a.expect(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"Server 'dying' crashed during operation","data":{"server":"dying","exitStatus":"exit status 7"}}}`, id))
		}
		a.expect(listChanged)
		if got, want := a.tools(), []string{"well:x"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
		a.Send("%s", call(8, "dying:x"))
		a.expect(`{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"Tool not found: dying:x","data":{"server":"dying","status":"failed","reason":"the process ended (exit status 7)"}}}`)
		a.Send("%s", call(9, "well:x"))
		a.expect(answered(9))
		if got, want := a.log.String(), "level=ERROR msg=\"server failed\" server=dying phase=runtime reason=\"the process ended\" exit=\"exit status 7\"\n"; got != want {
			t.Errorf("log:\n got %q\nwant %q", got, want)
		}
	})
}

func TestAListWaitsForTheChildrenAtMostTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{
			"late": after(12*time.Second, tool(answering)),
			"soon": after(3*time.Second, tool(answering)),
		}, "late", "soon")
		a.Initialize()
		began := time.Now()
		if got, want := a.tools(), []string{"soon:x"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
		if waited := time.Since(began); waited != 10*time.Second {
			t.Errorf("the list came after %v, want 10s", waited)
		}
		a.expect(listChanged)
		if waited := time.Since(began); waited < 12*time.Second || waited > 13*time.Second {
			t.Errorf("the late child was announced after %v, want 12s", waited)
		}
		if got, want := a.tools(), []string{"late:x", "soon:x"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
	})
}

func TestAListIsAnsweredAsSoonAsEveryChildHasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"soon": after(3*time.Second, tool(answering))}, "missing", "soon")
		a.Initialize()
		began := time.Now()
		a.tools()
		if waited := time.Since(began); waited != 3*time.Second {
			t.Errorf("the list came after %v, want 3s", waited)
		}
		a.Send("%s", call(1, "soon:x"))
		a.expect(answered(1)) // and no list_changed before it
	})
}

func TestACallToAChildThatIsInitializingWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{
			"late":   after(12*time.Second, tool(answering)),
			"broken": after(5*time.Second, func(context.Context, testutil.Stdio) child.Exit { return "exit status 1" }),
		}, "late", "broken")
		a.Initialize()
		a.Send("%s", call(1, "late:x"))
		a.Send("%s", call(2, "late:y"))
		a.Send("%s", call(3, "broken:x"))
		a.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Tool not found: broken:x","data":{"server":"broken","status":"failed","reason":"the process ended (exit status 1)"}}}`)
		got := []string{a.Next(), a.Next()}
		slices.Sort(got)
		want := []string{answered(1), refused("2", "-32601", "Tool not found: late:y; nearest: late:x")}
		if !slices.Equal(got, want) {
			t.Errorf("answers: got %q, want %q", got, want)
		}
	})
}

func TestAChildThatNeverAnswersIsWarnedAboutAndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"mute": after(time.Hour, nil), "well": tool(answering)}, "mute", "well")
		a.Initialize()
		if got, want := a.tools(), []string{"well:x"}; !slices.Equal(got, want) {
			t.Errorf("tools: got %q, want %q", got, want)
		}
		time.Sleep(2 * time.Minute) // virtual
		want := "level=WARN msg=\"server is slow: it is not ready yet\" server=mute after=15s\n" +
			"level=ERROR msg=\"server failed\" server=mute phase=initialization reason=\"it was not ready after 1m0s\"\n"
		if got := a.log.String(); got != want {
			t.Errorf("log:\n got %q\nwant %q", got, want)
		}
	})
}

func TestWhatWasAskedBeforeTheClientClosedIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"late": after(8*time.Second, tool(answering)), "mute": tool(silent)}, "late", "mute")
		began := time.Now()
		a.Send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		a.Send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		a.Send("%s", call(2, "late:x"))
		a.Send("%s", call(3, "mute:x"))
		a.SendRaw(`{"jsonrpc":"2.0","id":4,"method":"ping"}`) // without a newline
		a.Close()
		var ids []string
		for range 4 {
			id, _, _ := strings.Cut(strings.TrimPrefix(a.Next(), `{"jsonrpc":"2.0","id":`), ",")
			ids = append(ids, id)
		}
		slices.Sort(ids)
		if want := []string{"0", "1", "2", "4"}; !slices.Equal(ids, want) {
			t.Errorf("answered: got %q, want %q", ids, want)
		}
		<-a.server.Done()
		if took := time.Since(began); took != 11*time.Second { // 8 s for the children, 3 s more for the call
			t.Errorf("the session ended after %v, want 11s", took)
		}
		if err := a.server.Err(); err != nil {
			t.Errorf("ended with %v", err)
		}
		if err := a.fx.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		a.expect(refused("3", "-32603", "Server 'mute' was stopped"))
	})
}

func TestACallForAChildThatIsNeverReadyHoldsTheEndOnlyAsLongAsAListDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"mute": after(time.Hour, nil)}, "mute")
		a.Initialize()
		began := time.Now()
		a.Send("%s", call(1, "mute:x"))
		a.Close()
		<-a.server.Done()
		if took := time.Since(began); took != 13*time.Second { // as long as a list, and 3 s more
			t.Errorf("the session ended after %v, want 13s", took)
		}
	})
}

func TestAnIdleSessionEndsWithItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := start(t, testutil.Spawner{"late": after(8*time.Second, tool(answering))}, "late")
		a.Initialize()
		began := time.Now()
		a.Close()
		<-a.server.Done()
		if took := time.Since(began); took != 0 {
			t.Errorf("the session ended after %v, want at once", took)
		}
	})
}

func TestStoppingEndsEveryChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubborn := func(ctx context.Context, _ testutil.Stdio) child.Exit {
			<-ctx.Done() // ends only when it is made to
			return ""
		}
		a := start(t, testutil.Spawner{"stubborn": stubborn, "well": tool(answering)}, "stubborn", "well")
		a.Initialize()
		began := time.Now()
		if err := a.fx.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("stopping took %v", took)
		}
		if log := a.log.String(); log != "" {
			t.Errorf("what we stop is no failure: %s", log)
		}
	})
}
