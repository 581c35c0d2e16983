package main_test

import (
	"strings"
	"syscall"
	"testing"
)

// unsupervised are servers that must end although nothing stops them, and the number of
// their processes.
var unsupervised = map[string]struct {
	servers   string
	processes int
}{
	"that behave": {plain + `,"b":{"command":"fakechild"}`, 2},
	"that ignore the end of their input and SIGTERM": {`"a":{"command":"fakechild","args":["-deaf"]},"b":{"command":"fakechild","args":["-deaf","-mute"]}`, 2},
	"within a shell":    {`"a":{"command":"sh","args":["-c","fakechild; true"]}`, 2},
	"that wait forever": {`"a":{"command":"sleep","args":["120"]}`, 1},
}

func TestServersEndWhenTheProgramIsKilled(t *testing.T) {
	t.Parallel()
	for name, test := range unsupervised {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serve(t, test.servers)
			p.awaitServers(test.processes)
			p.send(initialize)
			p.next()
			noError(t, p.cmd.Process.Kill())
			p.wait()
			p.awaitServers(0)
		})
	}
}

// The program is killed while it starts them.
func TestServersThatAreBeingStartedEndWhenTheProgramIsKilled(t *testing.T) {
	t.Parallel()
	var servers []string
	for n := range 20 {
		servers = append(servers, strings.Replace(`"N":{"command":"fakechild","args":["-deaf","-mute"]}`, "N", string(rune('a'+n)), 1))
	}
	for _, many := range []int{1, 5, 20} {
		p := serve(t, strings.Join(servers, ","))
		eventually(t, "some servers", func() bool { return len(p.servers()) >= many })
		noError(t, p.cmd.Process.Kill())
		p.wait()
		p.awaitServers(0)
	}
}

func TestServersEndWhenTheProgramPanics(t *testing.T) {
	t.Parallel()
	for name, test := range unsupervised {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startMode{program: "panicking-aggregator", before: "export GOTRACEBACK=all"}.serve(t, test.servers)
			p.awaitServers(test.processes)
			p.send(initialize)
			p.next()
			noError(t, p.cmd.Process.Signal(syscall.SIGUSR1))
			p.wait()
			p.awaitServers(0)
			if got := p.stderr.String(); p.cmd.ProcessState.ExitCode() != 2 || !strings.Contains(got, "panic: something is wrong\n") {
				t.Errorf("%v, standard error:\n%s", p.cmd.ProcessState, got)
			}
		})
	}
}

func TestServersEndWhenTheProgramIsAskedForItsStacks(t *testing.T) {
	t.Parallel()
	p := serve(t, unsupervised["that ignore the end of their input and SIGTERM"].servers)
	p.awaitServers(2)
	p.send(initialize)
	p.next()
	noError(t, p.cmd.Process.Signal(syscall.SIGQUIT))
	p.wait()
	p.awaitServers(0)
	if got := p.stderr.String(); p.cmd.ProcessState.ExitCode() != 2 || !strings.Contains(got, "SIGQUIT: quit\n") {
		t.Errorf("%v, standard error:\n%s", p.cmd.ProcessState, got)
	}
}
