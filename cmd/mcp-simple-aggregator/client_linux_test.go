package main_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestOddMessagesOfAClientAreAnswered(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild"}`)
	p.openReady(echoTool)
	for _, id := range []string{`9007199254740993`, `1.5`, `-0`, `1e400`, `"` + strings.Repeat("long", 50_000) + `"`, `"\ud800"`} {
		p.request(`{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"a:echo"}}`,
			`{"jsonrpc":"2.0","id":`+id+`,"result":{"name":"echo"}}`)
	}
	p.request(`{"jsonrpc":"2.0","id":null,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: id must be a string or a number"}}`)
	for line, code := range map[string]int{
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a:echo\",\"x\":\"\xff\"}}": -32700,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`:                                                 -32700,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                                                               -32600,
	} {
		p.send(line)
		if got := p.next(); !strings.HasPrefix(got, fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,`, code)) {
			t.Errorf("%q is answered with %s", line, got)
		}
	}
	p.send("\n\r\n \t \n" + callOf(5, "a:echo") + "\r")
	p.expect(result(5, `{"name":"echo"}`))
	noError(t, p.stdin.Close())
	p.expectExit(0, "")
}

// Ids are chosen by the client: two open calls with one id get two responses.
func TestTwoCallsWithOneIDAreBothAnswered(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild"},"b":{"command":"fakechild","args":["-result","\"b\""]}`)
	p.openReady(echoTool + "," + echoOf("b"))
	p.send(callOf(7, "a:echo"))
	p.send(callOf(7, "b:echo"))
	p.expectAll(map[string]int{result(7, `{"name":"echo"}`): 1, result(7, `"b"`): 1})
	noError(t, p.stdin.Close())
	p.expectExit(0, "")
}

// A server that does not become ready does not keep others from being listed.
func TestServersThatNeverGetReadyAreLeftOut(t *testing.T) {
	t.Parallel()
	p := serve(t, `"mute":{"command":"fakechild","args":["-mute"]},`+
		`"garbage":{"command":"fakechild","args":["-initialize","[1,2]"]},`+
		`"future":{"command":"fakechild","args":["-initialize","{\"protocolVersion\":\"2999-01-01\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"x\",\"version\":\"1\"}}"]},`+
		`"gone":{"command":"fakechild","args":["-when","tools/list","-exit","7"]},"a":{"command":"fakechild"}`)
	p.openReady(echoTool)
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	got := p.stderr.String()
	for _, key := range []string{"garbage", "future", "gone"} {
		if !strings.Contains(got, `level=ERROR msg="server failed" server=`+key+` phase=initialization reason="`) {
			t.Errorf("%s is not reported", key)
		}
	}
	if strings.Count(got, "\n") != 3 || !strings.Contains(got, "2999-01-01") {
		t.Errorf("standard error:\n%s", got)
	}
}
