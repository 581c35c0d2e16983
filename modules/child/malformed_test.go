package child_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestACallWithAMalformedResponseFailsWithTheReason(t *testing.T) {
	long := `{"jsonrpc":"2.0","result":"` + strings.Repeat("x", 200_000) + `","id":ID}`
	size := len(long) - 1
	tests := []struct{ name, answer, why, warning string }{
		{
			"it is not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":\"\xff\"}", "answered with text that is not UTF-8",
			`msg="message ignored" server=a reason="line is not valid UTF-8"`,
		},
		{
			"half of it is missing", `{"jsonrpc":"2.0","id":ID,"result":{}`, "answered with text that is not JSON",
			`msg="line on standard output is not JSON" server=a line="{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}"`,
		},
		{
			"it has a number that is none", `{"result":NaN,"id":ID}`, "answered with text that is not JSON",
			`msg="line on standard output is not JSON" server=a line="{\"result\":NaN,\"id\":3}"`,
		},
		{
			"something stands behind it", `{"id":ID,"error":{}} x`, "answered with text that is not JSON",
			`msg="line on standard output is not JSON" server=a line="{\"id\":3,\"error\":{}} x"`,
		},
		{
			"it is a result and an error", `{"jsonrpc":"2.0","id":ID,"result":1,"error":{"code":1,"message":"x"}}`, "answered with both a result and an error",
			`msg="response ignored" server=a reason="it has both a result and an error"`,
		},
		{
			"it is of no version", `{"id":ID,"result":1}`, `answered with a message whose jsonrpc is not \"2.0\"`,
			`msg="message ignored" server=a reason="jsonrpc must be \"2.0\""`,
		},
		{
			"it is too long", long, fmt.Sprintf("sent a message of %d bytes, more than the limit of 10000 bytes", size),
			fmt.Sprintf(`msg="message dropped" server=a reason="message of %d bytes exceeds the limit of 10000 bytes"`, size),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"a": respondsWith(test.answer, `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{MaxMessage: 10_000}, "a")
				c.initializeAll()
				r := c.callTool("a", "x")
				want(t, "answer", r.await(t), `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' `+test.why+`"}}`)
				synctest.Wait()
				want(t, "further outcomes", len(r.outcomesSoFar()), 0)
				want(t, "state", c.status("a").State, child.Running)
				c.wantLog("level=WARN "+test.warning, `level=WARN msg="response ignored: no request has its id" server=a id=3`)
			})
		})
	}
}

func TestARequestOfAChildThatIsTooLongGetsAnErrorWithTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var received stdinRecorder
		long := `{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":"` + strings.Repeat("x", 20_000) + `"}`
		c := startManager(t, testutil.Spawner{"a": received.record(respondsWith(long, `{"jsonrpc":"2.0","id":ID,"result":{}}`))}, child.Options{MaxMessage: 10_000}, "a")
		c.initializeAll()
		want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
		synctest.Wait()
		lines := received.lines()
		want(t, "received", lines[len(lines)-1], fmt.Sprintf(`{"jsonrpc":"2.0","id":"s","error":{"code":-32600,`+
			`"message":"Invalid request: the server sent a message of %d bytes, more than the limit of 10000 bytes"}}`, len(long)))
	})
}

func TestAnInitializeResponseAfterAByteOrderMarkIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		program := func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			_, _ = io.WriteString(stdio.Out, "\uFEFF")
			return scripted(ctx, stdio)
		}
		c := startManager(t, testutil.Spawner{"a": program}, child.Options{}, "a")
		c.initializeAll()
		want(t, "state", c.status("a").State, child.Running)
	})
}

func TestALineOfByteOrderMarksIsNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		marks := strings.Repeat("\uFEFF", 1_000_000)
		c := startManager(t, testutil.Spawner{"a": respondsWith(marks, marks+`{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{}, "a")
		c.initializeAll()
		want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
		want(t, "state", c.status("a").State, child.Running)
	})
}

func TestWarningsAreLimitedByKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": respondsWith("noise\nnoise\nnoise\nnoise\nnoise\nnoise\n", `{"id":ID,"result":{}}`)}, child.Options{}, "a")
		c.initializeAll()
		c.callTool("a", "x").await(t)
		c.stop()
		want(t, "warnings of noise", strings.Count(c.log.String(), "is not JSON"), 5)
		want(t, "warnings of another kind", strings.Count(c.log.String(), "message ignored"), 1)
	})
}

func TestTheMessagesOfABatchAreHandledOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const first, second = `{"jsonrpc":"2.0","method":"x"}`, `{"jsonrpc":"2.0","method":"y"}`
		c := startManager(t, testutil.Spawner{"a": respondsWith(`[` + first + `, 1, {"jsonrpc":"2.0","id":ID,"result":{}} ,` + second + `]`)}, child.Options{}, "a")
		c.initializeAll()
		want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
		synctest.Wait()
		want(t, "passed", strings.Join(c.clientRecorder.lines(), "\n"), first+"\n"+second)
		c.wantLog(`level=WARN msg="line on standard output is not a JSON-RPC message" server=a line=1`)
	})
}

func TestAMessageOverTheLimitIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := `{"jsonrpc":"2.0","method":"x","params":{"x":"` + strings.Repeat("x", 200_000) + `"}}`
		c := startManager(t, testutil.Spawner{"a": respondsWith(long, `{"jsonrpc":"2.0","id":ID,"result":{}}`)}, child.Options{MaxMessage: 1000}, "a")
		c.initializeAll()
		want(t, "answer", c.callTool("a", "x").await(t), emptyResult)
		c.wantLog(fmt.Sprintf(`level=WARN msg="message dropped" server=a reason="message of %d bytes exceeds the limit of 1000 bytes"`, len(long)))
	})
}
