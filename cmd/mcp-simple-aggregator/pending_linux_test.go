package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestEveryPendingCallIsAnsweredOnceWhenItsServerEnds(t *testing.T) {
	t.Parallel()
	const calls = 100
	for exit, status := range map[string]string{"exit status 0": "0", "exit status 7": "7", "signal: killed": ""} {
		t.Run(exit, func(t *testing.T) {
			t.Parallel()
			p := serve(t, `"a":{"command":"fakechild","args":["-offer","pid,hang,die","-leak","-exit","0`+status+`"]},"b":{"command":"fakechild"}`)
			p.openReady(offered("a", "pid", "hang", "die") + "," + echoOf("b"))
			pid := p.pid("a")
			want := map[string]int{listChanged: 1}
			for id := range calls {
				p.send(callOf(100+id, "a:hang"))
				want[crashed(100+id, "a", exit)] = 1
			}
			p.ping()
			if status == "" {
				noError(t, syscall.Kill(pid, syscall.SIGKILL))
			} else {
				p.send(callOf(99, "a:die"))
				want[crashed(99, "a", exit)] = 1
			}
			p.expectAll(want)
			p.request(callOf(3, "b:echo"), result(3, `{"name":"echo"}`)) // and nothing before it
			noError(t, p.stdin.Close())
			p.expectExit(0, strings.TrimSuffix(failed("a", exit), "\n")+` stderr="[redacted] and [redacted]"`+"\n")
		})
	}
}

// At most 64 MiB are queued for a server that does not read.
func TestAServerThatStopsReadingIsRefusedMore(t *testing.T) {
	t.Parallel()
	p := serve(t, `"a":{"command":"fakechild","args":["-offer","pid,stall"]},"b":{"command":"fakechild","args":["-count","calls"]}`)
	p.openReady(offered("a", "pid", "stall") + "," + echoOf("b"))
	pid := p.pid("a")
	p.send(callOf(3, "a:stall"))
	const calls, refusedAtLeast = 80, 10
	argument := strings.Repeat("x", 1<<20)
	for id := range calls {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a:pid","arguments":{"x":"%s"}}}`, 100+id, argument))
	}
	p.send(callOf(4, "b:echo"))
	refused := 0
	for line := p.next(); line != result(4, `{"name":"echo"}`); line = p.next() {
		if !strings.Contains(line, `"error":{"code":-32603,"message":"Server 'a' does not read its standard input"}`) {
			t.Fatalf("got %s", line)
		}
		refused++
	}
	if refused < refusedAtLeast || refused > calls-60 {
		t.Errorf("%d of %d calls of 1 MiB are refused, want those beyond 64 MiB", refused, calls)
	}
	noError(t, syscall.Kill(pid, syscall.SIGKILL))
	want := map[string]int{listChanged: 1, crashed(3, "a", "signal: killed"): 1}
	for id := range calls - refused { // the first that came
		want[crashed(100+id, "a", "signal: killed")] = 1
	}
	p.expectAll(want)
	if got, err := os.ReadFile(filepath.Join(p.cmd.Dir, "calls")); string(got) != "." {
		t.Errorf("the other server was called %q, %v", got, err)
	}
	noError(t, p.stdin.Close())
	p.expectExit(0, failed("a", "signal: killed"))
}
