package main_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// memory returns a value of /proc/PID/status, in bytes.
func (p *process) memory(figure string) int {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	noError(p.t, err)
	_, rest, _ := strings.Cut(string(status), "\n"+figure+":")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kilobytes, err := strconv.Atoi(number)
	noError(p.t, err)
	return kilobytes << 10
}

// expectPeak fails the test if the peak of the program's memory is above atMost bytes.
func (p *process) expectPeak(atMost int) {
	p.t.Helper()
	peak := p.memory("VmHWM")
	p.t.Logf("the program has needed %d MB", peak>>20)
	if peak > atMost {
		p.t.Errorf("the program has needed %d MB, want %d or less", peak>>20, atMost>>20)
	}
}

// awaitStall waits until a process that writes without end is blocked.
func (p *process) awaitStall(pid int) {
	p.t.Helper()
	before, same := "", 0
	eventually(p.t, "the server has to wait", func() bool {
		io, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
		noError(p.t, err)
		if same++; string(io) != before {
			before, same = string(io), 0
		}
		return same == 20
	})
}

// A message over the limit fails the call that it answers, and its memory is released.
func TestAnAnswerThatIsTooLongIsDropped(t *testing.T) {
	t.Parallel()
	if underRace {
		t.Skip("the race detector gives no memory back")
	}
	const size, little = 300_000_000, 150 << 20
	p := serve(t, fmt.Sprintf(`"a":{"command":"fakechild","args":["-offer","big,pid","-big","%d"]}`, size))
	p.openReady(offered("a", "big", "pid"))
	before := p.pid("a")
	p.send(callOf(3, "a:big"))
	line := p.next()
	if !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"`) || !strings.Contains(line, "300000043 bytes") {
		t.Errorf("answer %.1000s", line)
	}
	if after := p.pid("a"); after != before {
		t.Errorf("the server was process %d and is %d", before, after)
	}
	t.Logf("the program has needed %d MB", p.memory("VmHWM")>>20)
	eventually(t, "the memory is given back", func() bool { return p.memory("VmRSS") < little })
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	if got := p.stderr.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "level=WARN") || !strings.Contains(got, "server=a") {
		t.Errorf("standard error:\n%s", got)
	}
}
