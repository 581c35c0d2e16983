package main_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mcp-aggregator/testutil"
)

// socketPair returns a socket pair, which Node uses as standard streams of its children.
func socketPair(t *testing.T) (theirs, ours *os.File) {
	t.Helper()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	noError(t, err)
	noError(t, unix.SetNonblock(ends[0], false))
	theirs, ours = os.NewFile(uintptr(ends[0]), "theirs"), os.NewFile(uintptr(ends[1]), "ours")
	t.Cleanup(func() { _, _ = theirs.Close(), ours.Close() })
	return theirs, ours
}

// A thread that blocks in a read of standard input delays the reads of the servers' output
// in a container with one processor.
func TestStandardInputIsWaitedForWithoutAThread(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]startMode{
		"a pipe":                               {input: pipe},
		"a socket":                             {input: socketPair},
		"a socket that is standard output too": {input: socketPair, both: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			theirs, ours := m.input(t)
			kept := reopen(t, theirs)
			before := flags(t, kept)
			m.input = func(*testing.T) (_, _ *os.File) { return theirs, ours }
			p := m.serve(t, `"a":{"command":"fakechild"}`)
			p.openReady(echoTool)
			p.request(callOf(3, "a:echo"), result(3, `{"name":"echo"}`))
			for range 10 { // in the first it may not have come to rest
				time.Sleep(10 * time.Millisecond)
				if waiting := reading(t, p.cmd.Process.Pid, 0); len(waiting) > 0 {
					t.Fatalf("in read(0): %v", waiting)
				}
			}
			if now := flags(t, kept); now != before {
				t.Errorf("flags %#o while it serves, %#o before", now, before)
			}
			if m.both {
				noError(t, unix.Shutdown(int(ours.Fd()), unix.SHUT_WR))
			} else {
				noError(t, ours.Close())
			}
			p.expectExit(0, "")
			if now := flags(t, kept); now != before {
				t.Errorf("flags %#o when it has ended, %#o before", now, before)
			}
		})
	}
}

// reopen returns a second descriptor of the same open file, as the parent of the program
// has one.
func reopen(t *testing.T, file *os.File) *os.File {
	t.Helper()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	noError(t, err)
	second := os.NewFile(uintptr(fd), "kept")
	t.Cleanup(func() { _ = second.Close() })
	return second
}

func flags(t *testing.T, file *os.File) (set int) {
	t.Helper()
	raw, err := file.SyscallConn()
	noError(t, err)
	noError(t, raw.Control(func(fd uintptr) { set, err = unix.FcntlInt(fd, unix.F_GETFL, 0) }))
	noError(t, err)
	return set
}

// reading returns the threads of a process that block in a read of a descriptor.
func reading(t *testing.T, pid, fd int) (threads []string) {
	t.Helper()
	calls, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	noError(t, err)
	for _, path := range calls {
		call, _ := os.ReadFile(path) // a thread may end
		if strings.HasPrefix(string(call), fmt.Sprintf("%d %#x ", unix.SYS_READ, fd)) {
			threads = append(threads, path)
		}
	}
	return threads
}

// Requests are answered whatever kind of file standard input is.
func TestOtherStandardInputsAreServed(t *testing.T) {
	t.Parallel()
	said := strings.Join([]string{initialize, initialized, listTools, callOf(3, "a:echo")}, "\n")
	answers := []string{`"id":1,"result":{"capabilities":`, `"id":2,"result":{"tools":[` + echoTool + `]}}`, result(3, `{"name":"echo"}`)}
	for name, test := range map[string]struct {
		shell string
		want  []string
	}{
		"a file":                   {"exec <said", answers},
		"a pipe that is named":     {"mkfifo fifo; cat said >fifo & exec <fifo", answers},
		"a pipe that nobody holds": {"exec <<'END'\n" + said + "\nEND\n:", answers},
		"/dev/null":                {"exec </dev/null", nil},
		"none":                     {"exec <&-", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			noError(t, os.WriteFile(filepath.Join(folder, "said"), []byte(said), 0o600))
			p := startMode{before: test.shell, folder: folder}.serve(t, `"a":{"command":"fakechild"}`)
			text, err := io.ReadAll(p.stdout)
			noError(t, err)
			for _, want := range test.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %s in %s", want, text)
				}
			}
			if got := strings.Count(string(text), "\n"); got != len(test.want) {
				t.Errorf("%d lines: %s", got, text)
			}
			p.awaitExit(0)
		})
	}
}

// The pipe of another user cannot be opened.
func TestAPipeOfAnotherUserIsServed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	folder := worldReadable(t)
	script := filepath.Join(folder, "server.sh")
	noError(t, os.WriteFile(script, []byte(shellServer), 0o644))
	m := startMode{
		program: filepath.Join(folder, "mcp-simple-aggregator"), before: coverAnyUser(t, folder),
		user: 200_000 + os.Getpid(), folder: folder,
	}
	p := m.serve(t, fmt.Sprintf(`"a":{"command":"sh","args":[%q]}`, script))
	p.openReady(`{"name":"a:echo"}`)
	p.request(callOf(3, "a:echo"), result(3, `{"name":"echo"}`))
	noError(t, p.stdin.Close())
	p.expectExit(0, "")
}

// underNode makes Node start the program, write a request, and close standard input when
// the response has arrived.
const underNode = `
const [program, config, ...lines] = process.argv.slice(1)
const child = require("child_process").spawn(program, ["--config", config], {stdio: ["pipe", "pipe", "inherit"]})
console.log(require("fs").readlinkSync("/proc/" + child.pid + "/fd/0").replace(/\[.*/, ""))
let answers = ""
child.stdin.write(lines.shift() + "\n")
child.stdout.on("data", data => {
	answers += data
	if (!answers.endsWith("\n")) return
	while (lines.length && !JSON.parse(lines[0]).id) child.stdin.write(lines.shift() + "\n")
	if (lines.length) child.stdin.write(lines.shift() + "\n")
	else child.stdin.end()
})
child.on("close", code => console.log(answers + code))
`

func TestNodeIsServed(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	program, err := exec.LookPath("mcp-simple-aggregator")
	noError(t, err)
	config := writeConfig(t, t.TempDir(), `"a":{"command":"fakechild"}`)
	cmd := exec.CommandContext(t.Context(), node, "-e", underNode, program, config, initialize, initialized, listTools, callOf(3, "a:echo"))
	cmd.Env = environ(testutil.Mark(t))
	var stderr testutil.Buffer
	cmd.Stderr = testutil.Printed(&stderr)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if want := []string{"socket:", lines[1], `{"jsonrpc":"2.0","id":2,"result":{"tools":[` + echoTool + `]}}`, result(3, `{"name":"echo"}`), "0"}; strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s", out)
	}
}
