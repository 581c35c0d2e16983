package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxMemory is what the program may have needed at most, in bytes, while much
// more than that went through it.
const maxMemory = 200 << 20

// The servers have to wait with what they say, and nobody else has to: calls
// reach them meanwhile.
func TestAClientThatDoesNotReadStopsTheServersOutputAndNothingElse(t *testing.T) {
	t.Parallel()
	const notifications, results, size, calls = 50_000, 300, 1 << 20, 1000
	p := serve(t, fmt.Sprintf(`"a":{"command":"fakechild","args":["-offer","pid,flood,big","-flood","%d","-big","%d"]},`+
		`"b":{"command":"fakechild","args":["-count","calls"]}`, notifications, size))
	p.greet(offered("a", "pid", "flood", "big") + "," + echoOf("b"))
	pid := p.pid("a")
	p.send(calling(3, "a:flood"))
	for id := range results {
		p.send(calling(100+id, "a:big"))
	}
	for id := range calls {
		p.send(calling(1000+id, "b:echo"))
	}
	eventually(t, "the other server is called", func() bool {
		count, _ := os.ReadFile(filepath.Join(p.cmd.Dir, "calls"))
		return len(count) > 100 // until its own output is full
	})
	p.stalls(pid)
	p.needed(maxMemory)

	h := &heard{answers: 1000}
	for h.flood < notifications || !h.quiet || h.big < results || h.answers < 1000+calls {
		p.hear(h)
	}
	p.needed(maxMemory)
	if again := p.pid("a"); again != pid {
		t.Errorf("the server was process %d and is %d", pid, again)
	}
	noError(t, p.stdin.Close())
	p.ends(0, "")
}

// heard is how far a client has come.
type heard struct {
	flood   int  // notifications
	quiet   bool // the call that made the flood is answered
	empty   bool // the call that wrote so much to standard error is answered
	big     int  // results
	answers int  // the next id of a call to another server
}

// hear reads one line, which must be the next of its kind.
func (p *process) hear(h *heard) {
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
	p.greet(offered("loud", "gush") + "," + offered("chatty", "flood") + "," + echoTool)
	p.send(calling(4, "loud:gush"))
	p.send(calling(3, "chatty:flood"))
	h := &heard{answers: 1000}
	for !h.quiet || !h.empty {
		p.send(calling(h.answers, "a:echo"))
		for before := h.answers; h.answers == before; {
			p.hear(h)
		}
	}
	t.Logf("%d calls were answered meanwhile", h.answers-1000)
	if h.answers < 1010 || h.flood != notifications {
		t.Errorf("%d calls answered during the flood, and %d notifications; want 10 or more, and %d", h.answers-1000, h.flood, notifications)
	}
	p.needed(maxMemory)
	noError(t, p.stdin.Close())
	p.ends(0, "")
}
