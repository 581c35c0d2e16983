package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// The client sends and never reads, so that the program runs out of room for responses.
func TestASignalEndsTheSessionOfAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100<<10) // 64 MiB of calls wait for a server before one is refused
	for what, request := range map[string]string{
		"lists":  listTools,
		"floods": fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"b:flood","arguments":{"x":%q}}}`, long),
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := serve(t, `"a":{"command":"fakechild"},"b":{"command":"fakechild","args":["-offer","flood","-flood","10000"]}`)
			p.openReady(echoTool + "," + offered("b", "flood"))
			var talk sync.WaitGroup
			talk.Go(func() {
				for err := error(nil); err == nil; {
					_, err = p.stdin.WriteString(request + "\n")
				}
			})
			p.awaitStall(p.cmd.Process.Pid)
			noError(t, p.cmd.Process.Signal(syscall.SIGTERM))
			p.awaitExit(0)
			noError(t, p.stdin.Close())
			talk.Wait()
		})
	}
}

// The servers' messages block the output, and the end of the input is still noticed.
func TestAClientThatDoesNotReadCanCloseTheSession(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-offer","pid,flood","-flood","1000000"]},"b":{"command":"fakechild"}`)
	p.openReady(offered("a", "pid", "flood") + "," + echoOf("b"))
	pid := p.pid("a")
	p.send(callOf(3, "a:flood"))
	for id := range 300 { // while the pipes fill
		p.send(callOf(1000+id, "b:echo"))
	}
	p.awaitStall(pid)
	noError(t, p.stdin.Close())
	p.awaitExit(0)
}

func TestASignalEndsAReportThatNobodyReads(t *testing.T) {
	t.Parallel()
	var tools []string
	for n := range 5000 {
		tools = append(tools, fmt.Sprintf(`{"name":"a_tool_of_a_long_list_%d"}`, n))
	}
	list := filepath.Join(t.TempDir(), "tools.json")
	noError(t, os.WriteFile(list, []byte("["+strings.Join(tools, ",")+"]"), 0o600))
	p := serve(t, fmt.Sprintf(`"a":{"command":"fakechild","args":["-tools",%q]}`, "@"+list), "check")
	_, err := p.stdout.Read(make([]byte, 1)) // the report has begun, and fills the pipe
	noError(t, err)
	noError(t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.expectExit(1, "mcp-simple-aggregator: interrupted\n")
}
