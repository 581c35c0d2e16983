package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const (
	plain    = `"a":{"command":"fakechild"}`
	echoTool = `{"name":"a:echo","inputSchema":{"type":"object"}}`
)

func TestASignalStopsTheProgramAndItsServers(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := serve(t, plain+`,"b":{"command":"fakechild","args":["-spawn"]}`)
			p.openReady(echoTool + `,{"name":"b:echo","inputSchema":{"type":"object"}}`)
			p.awaitServers(3) // two servers, and what one of them started
			noError(t, p.cmd.Process.Signal(signal))
			p.expectExit(0, "")
		})
	}
}

func TestASignalStopsTheProgramBeforeAnyClientHasSpoken(t *testing.T) {
	t.Parallel()
	p := serve(t, plain)
	p.awaitServers(1)
	noError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.expectExit(0, "")
}

func TestASignalAnswersTheCallsInFlight(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-delay","1h"]}`)
	p.openReady(echoTool)
	p.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a:echo"}}`)
	p.request(`{"jsonrpc":"2.0","id":4,"method":"ping"}`, `{"jsonrpc":"2.0","id":4,"result":{}}`)
	noError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Server 'a' was stopped"}}`)
	p.expectExit(0, "")
}

func TestASignalInterruptsCheckAndCall(t *testing.T) {
	t.Parallel()
	for _, command := range [][]string{{"check"}, {"call", "a:echo"}} {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel()
			p := serve(t, `"a":{"command":"fakechild","args":["-mute"]}`, command...)
			p.awaitServers(1)
			noError(t, p.cmd.Process.Signal(syscall.SIGINT))
			p.expectExit(1, "mcp-simple-aggregator: interrupted\n")
		})
	}
}

func TestServersThatIgnoreEverythingAreKilled(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-deaf"]},"b":{"command":"fakechild","args":["-deaf","-mute"]}`)
	p.awaitServers(2)
	p.send(initialize)
	p.next()
	noError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.expectExit(0, "")
}

// The servers would record a SIGTERM, which usually precedes SIGKILL.
func TestASecondSignalKillsTheServersAtOnce(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-deaf","-note","terminated"]}`)
	p.openReady(echoTool)
	noError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	noError(t, p.cmd.Process.Signal(syscall.SIGINT))
	p.expectExit(0, "")
	if _, err := os.Stat(filepath.Join(p.cmd.Dir, "terminated")); err == nil {
		t.Error("the server was asked to end in between")
	}
}

func TestTheEndOfTheClientsInputStopsEverything(t *testing.T) {
	t.Parallel()
	p := serve(t, plain)
	p.openReady(echoTool)
	p.awaitServers(1)
	noError(t, p.stdin.Close())
	p.expectExit(0, "")
}

func TestAClientThatNoLongerReadsStopsEverything(t *testing.T) {
	t.Parallel()
	p := serve(t, plain)
	p.openReady(echoTool)
	p.awaitServers(1)
	noError(t, p.stdout.Close())
	p.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	p.expectExit(0, "")
}

func TestAServerThatCrashesIsReportedOnceAndItsToolsVanish(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-offer","pid"]},"b":{"command":"fakechild"}`)
	const b = `{"name":"b:echo","inputSchema":{"type":"object"}}`
	p.openReady(offered("a", "pid") + "," + b)
	noError(t, syscall.Kill(p.pid("a"), syscall.SIGKILL))

	p.expect(listChanged)
	p.request(listTools, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`+b+`]}}`)
	p.request(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a:pid"}}`,
		`{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"Tool not found: a:pid",`+
			`"data":{"server":"a","status":"failed","reason":"the process ended (signal: killed)"}}}`)
	p.request(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"b:echo"}}`,
		`{"jsonrpc":"2.0","id":5,"result":{"name":"echo"}}`)
	noError(t, p.stdin.Close())
	p.expectExit(0, `level=ERROR msg="server failed" server=a phase=runtime reason="the process ended" exit="signal: killed"`+"\n")
}

// Without a check each would start the next forever.
func TestACircleOfAggregatorsEnds(t *testing.T) {
	t.Parallel()
	p := serve(t, plain+`,"self":{"command":"mcp-simple-aggregator","args":["--config","CONFIG"]}`)
	p.openReady(echoTool)
	p.awaitServers(1) // "self" has ended
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	if got := p.stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "configuration serves itself: ") {
		t.Errorf("standard error:\n%s", got)
	}
}
