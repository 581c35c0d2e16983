package main_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Ten servers end at once, one ignores everything and one is stopped, so that only those
// two are left for a while.
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
	p.openReady(strings.Join(tools, ","))
	bad := []int{p.pid("deaf"), p.pid("still")}
	noError(t, syscall.Kill(bad[1], syscall.SIGSTOP))
	p.awaitServers(len(servers))
	noError(t, p.stdin.Close())
	slices.Sort(bad)
	eventually(t, "only those that do not end are left", func() bool {
		left := p.servers()
		slices.Sort(left)
		return slices.Equal(left, bad)
	})
	p.expectExit(0, "")
}

// A process that a server has started, or a grandchild of it, holds its standard output
// open and ignores SIGTERM.
func TestTheDeathOfAServerIsNoticedWhileWhatItStartedGoesOn(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"-spawn", "-orphan"} {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			p := serve(t, `"a":{"command":"fakechild","args":["-offer","pid,hang","`+flag+`"]}`)
			p.openReady(offered("a", "pid", "hang"))
			p.awaitServers(2)
			pid := p.pid("a")
			p.send(callOf(3, "a:hang"))
			p.ping()
			noError(t, syscall.Kill(pid, syscall.SIGKILL))
			p.expect(crashed(3, "a", "signal: killed"))
			p.expect(listChanged)
			p.awaitServers(0) // before anybody stops anything
			noError(t, p.stdin.Close())
			p.expectExit(0, failed("a", "signal: killed"))
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
			p.openReady(echoTool + "," + echoOf("b") + "," + echoOf("c"))
			p.awaitServers(6)
			noError(t, end(p))
			p.expectExit(0, "")
		})
	}
}

func twoSignals(p *process) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Process.Signal(syscall.SIGINT)
}

// crashed returns the response to a call that was open when its server ended.
func crashed(id int, key, exit string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"Server '%s' crashed during operation","data":{"server":"%s","exitStatus":"%s"}}}`,
		id, key, key, exit)
}

// failed returns the line on standard error about a server that has ended.
func failed(key, exit string) string {
	return fmt.Sprintf("level=ERROR msg=\"server failed\" server=%s phase=runtime reason=\"the process ended\" exit=%q\n", key, exit)
}
