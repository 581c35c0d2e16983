package main_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// deadline bounds every wait. It is long, because no test measures time.
const deadline = 40 * time.Second

// process is the program as a process, whose client is the test.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	lines  *wire.Reader
	stderr *testutil.Buffer
	mark   *testutil.Marker // of the program and of all that it starts
	waited bool
}

// startMode says how to start the program.
type startMode struct {
	program string   // another name to run it by
	before  string   // shell commands before it, in the same process
	stderr  *os.File // instead of the buffer
	user    int      // instead of ours
	folder  string   // of the config
	// input makes the ends of another standard input than a pipe, which may be
	// standard output as well.
	input func(t *testing.T) (theirs, ours *os.File)
	both  bool
}

// serve starts the program, or a command of it, with servers, the members of mcpServers.
// In them CONFIG stands for the file, and every fakechild gets a secret in its
// environment and one in its arguments.
func serve(t *testing.T, servers string, command ...string) *process {
	t.Helper()
	return startMode{}.serve(t, servers, command...)
}

func (m startMode) serve(t *testing.T, servers string, command ...string) *process {
	t.Helper()
	p := &process{t: t, mark: testutil.Mark(t), stderr: &testutil.Buffer{}}
	config := writeConfig(t, cmp.Or(m.folder, t.TempDir()), servers)
	args := append([]string{cmp.Or(m.program, "mcp-simple-aggregator"), "--config", config}, command...)
	if m.before != "" {
		args = append([]string{"sh", "-c", m.before + `; exec "$0" "$@"`}, args...)
	}
	p.cmd = exec.CommandContext(t.Context(), args[0], args[1:]...)
	p.cmd.Env = environ(p.mark)
	p.cmd.Dir = filepath.Dir(config)
	p.cmd.Stderr = testutil.Printed(p.stderr)
	if m.stderr != nil {
		p.cmd.Stderr = m.stderr
	}
	if m.user != 0 {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(m.user), Gid: uint32(m.user)}}
	}
	if m.input == nil {
		m.input = pipe
	}
	theirIn, in := m.input(t)
	out, theirOut := in, theirIn
	if !m.both {
		out, theirOut = pipe(t)
	}
	p.cmd.Stdin, p.stdin = theirIn, in
	p.cmd.Stdout, p.stdout = theirOut, out
	err := p.cmd.Start()
	_, _ = theirIn.Close(), theirOut.Close()
	noError(t, err)
	t.Cleanup(p.kill)
	noError(t, p.stdout.SetReadDeadline(time.Now().Add(deadline)))
	noError(t, p.stdin.SetWriteDeadline(time.Now().Add(deadline)))
	p.lines = wire.NewReader(p.stdout, 0)
	return p
}

// canaryName is the variable that holds a secret.
const canaryName = "XDG_TEST_CANARY"

// environ returns the environment of the program.
func environ(mark *testutil.Marker) []string {
	return append(os.Environ(), raceOptions+"="+noRaceSleep, mark.Entry(), canaryName+"="+testutil.Canary+" of an argument")
}

// withSecrets adds the secrets of every fakechild.
var withSecrets = func() *strings.Replacer {
	const fake = `"command":"fakechild"`
	const env, arg = `,"env":{"PASSWORD":"` + testutil.Canary + ` of a variable"}`, `"-secret","${XDG_TEST_CANARY}"`
	return strings.NewReplacer(
		fake+`,"args":[`, fake+env+`,"args":[`+arg+`,`,
		fake, fake+env+`,"args":[`+arg+`]`)
}()

func writeConfig(t *testing.T, folder, servers string) (path string) {
	t.Helper()
	path = filepath.Join(folder, "config.json")
	servers = strings.ReplaceAll(withSecrets.Replace(servers), "CONFIG", path)
	noError(t, os.WriteFile(path, []byte(`{"mcpServers":{`+servers+`}}`), 0o644))
	return path
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	noError(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// expectExit fails the test unless the program exits with that code and has written
// stderr to standard error.
func (p *process) expectExit(code int, stderr string) {
	p.t.Helper()
	p.awaitExit(code)
	if got := p.stderr.String(); got != stderr {
		p.t.Errorf("standard error:\n got %s\nwant %s", got, stderr)
	}
}

// awaitExit waits for the end of the program, which must have that exit code and leave no
// process behind.
func (p *process) awaitExit(code int) {
	p.t.Helper()
	p.wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, not %d (%v); standard error:\n%s", got, code, p.cmd.ProcessState, p.stderr.String())
	}
	if left := p.servers(); len(left) > 0 {
		p.t.Errorf("processes left behind: %v", left)
	}
}

// wait waits for the end of the program, whatever its exit code.
func (p *process) wait() {
	p.t.Helper()
	p.waited = true
	giveUp := time.AfterFunc(deadline, func() { _ = p.cmd.Process.Signal(syscall.SIGQUIT) })
	defer giveUp.Stop()
	err := p.cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		p.t.Error(err)
	}
}

// kill ends the program if the test has failed before its end.
func (p *process) kill() {
	if !p.waited {
		_ = p.cmd.Process.Kill() // it may have ended
		_ = p.cmd.Wait()         // the test has failed already
	}
}

// servers returns the processes that the program has started, whatever their parents
// are now.
func (p *process) servers() (pids []int) {
	for _, pid := range p.mark.Alive() {
		if pid != p.cmd.Process.Pid {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitServers waits until there are that many processes of servers.
func (p *process) awaitServers(count int) {
	p.t.Helper()
	eventually(p.t, fmt.Sprintf("%d processes of servers", count), func() bool { return len(p.servers()) == count })
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}
