package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-aggregator/modules/wire"
)

// deadline bounds every wait. It is generous: no test is about time.
const deadline = 40 * time.Second

// process is the program as a real process, and the test its client.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	lines  *wire.Reader
	stderr bytes.Buffer
	mark   string // stands in the environment of every server
}

// serve starts the program, or a command of it, on servers, the members of
// mcpServers. In them MARK stands for the env by which the processes of a
// server are found, and CONFIG for the file.
func serve(t *testing.T, servers string, command ...string) *process {
	t.Helper()
	p := &process{t: t, mark: fmt.Sprintf("TEST_MARK=%s.%d", t.Name(), os.Getpid())}
	name, value, _ := strings.Cut(p.mark, "=")
	config := filepath.Join(t.TempDir(), "config.json")
	servers = strings.ReplaceAll(servers, "MARK", fmt.Sprintf(`"env":{%q:%q}`, name, value))
	servers = strings.ReplaceAll(servers, "CONFIG", config)
	check(t, os.WriteFile(config, []byte(`{"mcpServers":{`+servers+`}}`), 0o600))
	p.cmd = exec.CommandContext(t.Context(), "mcp-simple-aggregator", append([]string{"--config", config}, command...)...)
	p.cmd.Env = append(os.Environ(), raceOptions+"="+noRaceSleep)
	p.cmd.Stderr = &p.stderr
	p.cmd.Dir = filepath.Dir(config)
	theirIn, in := pipe(t)
	out, theirOut := pipe(t)
	p.cmd.Stdin, p.stdin = theirIn, in
	p.cmd.Stdout, p.stdout = theirOut, out
	err := p.cmd.Start()
	_, _ = theirIn.Close(), theirOut.Close()
	check(t, err)
	check(t, p.stdout.SetReadDeadline(time.Now().Add(deadline)))
	p.lines = wire.NewReader(p.stdout, 0)
	t.Cleanup(func() { // a failed test leaves nothing behind
		for _, pid := range p.servers() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	return p
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	check(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (p *process) send(line string) {
	p.t.Helper()
	_, err := p.stdin.WriteString(line + "\n")
	check(p.t, err)
}

func (p *process) next() string {
	p.t.Helper()
	line, err := p.lines.ReadLine()
	if err != nil {
		p.t.Fatalf("no line: %v; standard error:\n%s", err, p.stderr.String())
	}
	return string(line)
}

// ask sends a request and wants that answer.
func (p *process) ask(request, want string) {
	p.t.Helper()
	p.send(request)
	if got := p.next(); got != want {
		p.t.Fatalf("answer to %s:\n got %s\nwant %s", request, got, want)
	}
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listTools   = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
)

// greet opens the session and waits until the servers have settled.
func (p *process) greet(tools string) {
	p.t.Helper()
	p.send(initialize)
	p.next()
	p.send(initialized)
	p.ask(listTools, `{"jsonrpc":"2.0","id":2,"result":{"tools":[`+tools+`]}}`)
}

// ends wants the program to end with that exit code and to have written that
// to standard error.
func (p *process) ends(code int, stderr string) {
	p.t.Helper()
	p.exits(code)
	if got := p.stderr.String(); got != stderr {
		p.t.Errorf("standard error:\n got %s\nwant %s", got, stderr)
	}
}

// exits waits for the end of the program, which must have that exit code and
// leave no process behind.
func (p *process) exits(code int) {
	p.t.Helper()
	giveUp := time.AfterFunc(deadline, func() { _ = p.cmd.Process.Signal(syscall.SIGQUIT) })
	defer giveUp.Stop()
	err := p.cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		p.t.Error(err)
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, not %d (%v)", got, code, p.cmd.ProcessState)
	}
	if left := p.servers(); len(left) > 0 {
		p.t.Errorf("processes left behind: %v", left)
	}
}

// servers returns the processes that have the mark, but for zombies, which
// have no environment.
func (p *process) servers() (pids []int) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		environ, _ := os.ReadFile(filepath.Join(folder, "environ"))
		if slices.Contains(strings.Split(string(environ), "\x00"), p.mark) {
			var pid int
			_, _ = fmt.Sscan(filepath.Base(folder), &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

// started waits until that many processes of servers are there.
func (p *process) started(count int) {
	p.t.Helper()
	for end := time.Now().Add(deadline); len(p.servers()) != count; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("%d processes of servers, not %d", len(p.servers()), count)
		}
	}
}
