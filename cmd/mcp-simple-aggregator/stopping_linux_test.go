package main_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Ten servers behave, one is deaf and one is stopped: there is a time when
// only those two are left.
func TestServersThatDoNotEndDelayNoOther(t *testing.T) {
	t.Parallel()
	servers := []string{
		`"deaf":{"command":"fakechild","args":["-offer","pid","-deaf"]}`,
		`"still":{"command":"fakechild","args":["-offer","pid"]}`,
	}
	tools := []string{offered("deaf", "pid"), offered("still", "pid")}
	for n := range 10 {
		key := fmt.Sprint("well", n)
		servers = append(servers, `"`+key+`":{"command":"fakechild"}`)
		tools = append(tools, echoOf(key))
	}
	p := serve(t, strings.Join(servers, ","))
	p.greet(strings.Join(tools, ","))
	bad := []int{p.pid("deaf"), p.pid("still")}
	noError(t, syscall.Kill(bad[1], syscall.SIGSTOP))
	p.started(len(servers))
	noError(t, p.stdin.Close())
	slices.Sort(bad)
	eventually(t, "only those that do not end are left", func() bool {
		left := p.servers()
		slices.Sort(left)
		return slices.Equal(left, bad)
	})
	p.ends(0, "")
}

// What a server has started holds its standard output open, directly or by
// way of a process that has ended, and ignores SIGTERM.
func TestTheDeathOfAServerIsNoticedWhileWhatItStartedGoesOn(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"-spawn", "-orphan"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			p := serve(t, `"a":{"command":"fakechild","args":["-offer","pid,hang","`+flag+`"]}`)
			p.greet(offered("a", "pid", "hang"))
			p.started(2)
			pid := p.pid("a")
			p.send(calling(3, "a:hang"))
			p.ping()
			noError(t, syscall.Kill(pid, syscall.SIGKILL))
			p.expect(crashed(3, "a", "signal: killed"))
			p.expect(listChanged)
			p.started(0) // before anybody stops anything
			noError(t, p.stdin.Close())
			p.ends(0, failed("a", "signal: killed"))
		})
	}
}

func TestWhatServersStartedEndsWithThem(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*process) error{
		"SIGTERM":             func(p *process) error { return p.cmd.Process.Signal(syscall.SIGTERM) },
		"the end of input":    func(p *process) error { return p.stdin.Close() },
		"two signals at once": twoSignals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serve(t, `"a":{"command":"fakechild","args":["-spawn"]},"b":{"command":"fakechild","args":["-orphan"]},`+
				`"c":{"command":"sh","args":["-c","fakechild; true"]}`)
			p.greet(echoTool + "," + echoOf("b") + "," + echoOf("c"))
			p.started(6)
			noError(t, end(p))
			p.ends(0, "")
		})
	}
}

func twoSignals(p *process) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Process.Signal(syscall.SIGINT)
}

// crashed is the answer to a call that its server's end has left open.
func crashed(id int, key, exit string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"Server '%s' crashed during operation","data":{"server":"%s","exitStatus":"%s"}}}`,
		id, key, key, exit)
}

// failed is the line on standard error about a server that has ended.
func failed(key, exit string) string {
	return fmt.Sprintf("level=ERROR msg=\"server failed\" server=%s phase=runtime reason=\"the process ended\" exit=%q\n", key, exit)
}
