package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxMemory bounds the memory of the program, in bytes, while much more passes through.
const maxMemory = 200 << 20

// The servers' output blocks, and nothing else: calls still reach them.
func TestAClientThatDoesNotReadStopsTheServersOutputAndNothingElse(t *testing.T) {
	t.Parallel()
	const notifications, results, size, calls = 50_000, 300, 1 << 20, 1000
	p := serve(t, fmt.Sprintf(`"a":{"command":"fakechild","args":["-offer","pid,flood,big","-flood","%d","-big","%d"]},`+
		`"b":{"command":"fakechild","args":["-count","calls"]}`, notifications, size))
	p.openReady(offered("a", "pid", "flood", "big") + "," + echoOf("b"))
	pid := p.pid("a")
	p.send(callOf(3, "a:flood"))
	for id := range results {
		p.send(callOf(100+id, "a:big"))
	}
	for id := range calls {
		p.send(callOf(1000+id, "b:echo"))
	}
	eventually(t, "the other server is called", func() bool {
		count, _ := os.ReadFile(filepath.Join(p.cmd.Dir, "calls"))
		return len(count) > 100 // until its own output is full
	})
	p.awaitStall(pid)
	p.expectPeak(maxMemory)

	h := &progressSeen{answers: 1000}
	for h.flood < notifications || !h.quiet || h.big < results || h.answers < 1000+calls {
		p.readNext(h)
	}
	p.expectPeak(maxMemory)
	if again := p.pid("a"); again != pid {
		t.Errorf("the server was process %d and is %d", pid, again)
	}
	noError(t, p.stdin.Close())
	p.expectExit(0, "")
}

// progressSeen is how many messages of each kind a client has read.
type progressSeen struct {
	flood   int  // notifications
	quiet   bool // the call that made the flood is answered
	empty   bool // the call that wrote so much to standard error is answered
	big     int  // results
	answers int  // the next id of a call to another server
}

// readNext reads one line, which must be the next of its kind.
func (p *process) readNext(h *progressSeen) {
	p.t.Helper()
	switch line := p.next(); {
	case !h.quiet && line == fmt.Sprintf(floodLine, h.flood):
		h.flood++
	case line == result(3, `{}`):
		h.quiet = true
	case line == result(4, `{}`):
		h.empty = true
	case h.quiet && strings.HasPrefix(line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"is":"xxx`, 100+h.big)):
		h.big++
	case line == result(h.answers, `{"name":"echo"}`):
		h.answers++
	default:
		p.t.Fatalf("after %+v: %.300s", *h, line)
	}
}

func TestServersThatFloodDelayNoOther(t *testing.T) {
	t.Parallel()
	const notifications, megabytes = 100_000, 512
	p := serve(t, fmt.Sprintf(`"loud":{"command":"fakechild","args":["-offer","gush","-gush","%d"]},`+
		`"chatty":{"command":"fakechild","args":["-offer","flood","-flood","%d"]},"a":{"command":"fakechild"}`, megabytes, notifications))
	p.openReady(offered("loud", "gush") + "," + offered("chatty", "flood") + "," + echoTool)
	p.send(callOf(4, "loud:gush"))
	p.send(callOf(3, "chatty:flood"))
	h := &progressSeen{answers: 1000}
	for !h.quiet || !h.empty {
		p.send(callOf(h.answers, "a:echo"))
		for before := h.answers; h.answers == before; {
			p.readNext(h)
		}
	}
	t.Logf("%d calls were answered meanwhile", h.answers-1000)
	if h.answers < 1010 || h.flood != notifications {
		t.Errorf("%d calls answered during the flood, and %d notifications; want 10 or more, and %d", h.answers-1000, h.flood, notifications)
	}
	p.expectPeak(maxMemory)
	noError(t, p.stdin.Close())
	p.expectExit(0, "")
}
