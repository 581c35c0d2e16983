package main_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mcp-aggregator/testutil"
)

var progressTime = regexp.MustCompile(`after [0-9.]+[nµm]?s`)

func TestCheckShowsItsProgressOnATerminal(t *testing.T) {
	t.Parallel()
	config := writeConfig(t, t.TempDir(), `"a":{"command":"fakechild"},"b\u001b[2J":{"command":"no-such-command"}`)
	master, terminal := openTerminal(t)
	var stdout kept
	cmd := exec.CommandContext(t.Context(), "mcp-simple-aggregator", "check", "--config", config)
	cmd.Env = environ(testutil.Mark(t))
	cmd.Stdout, cmd.Stderr = testutil.Printed(&stdout), terminal
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with EIO when nobody has the terminal open any more
		testutil.Record(string(text))
		shown <- string(text)
	}()
	err := cmd.Run()
	check(t, terminal.Close())
	lines := strings.Split(progressTime.ReplaceAllString(<-shown, "after TIME"), "\r\n")
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Errorf("check ended with %v", err)
	}
	slices.Sort(lines)
	const missing = `command "no-such-command" is not on its PATH: give its absolute path, or set PATH in the server's env`
	want := []string{
		"",
		`"b\x1b[2J": failed: ` + missing,
		`a: running, 1 tools after TIME`,
		`level=ERROR msg="server failed" server=b\x1b[2J phase=startup reason="` + strings.ReplaceAll(missing, `"`, `\"`) + `"`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("on the terminal:\n got %q\nwant %q", lines, want)
	}
	if !strings.HasPrefix(stdout.String(), "SERVER ") {
		t.Errorf("standard output begins %.20q", stdout.String())
	}
}

func TestCallWhoseResultCannotBeWrittenFails(t *testing.T) {
	t.Parallel()
	config := writeConfig(t, t.TempDir(), `"a":{"command":"fakechild"}`)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	check(t, err)
	defer full.Close()
	var stderr kept
	cmd := exec.CommandContext(t.Context(), "mcp-simple-aggregator", "call", "--config", config, "a:echo")
	cmd.Env = environ(testutil.Mark(t))
	cmd.Stdout, cmd.Stderr = full, testutil.Printed(&stderr)
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Errorf("call ended with %v", err)
	}
	if got, want := stderr.String(), "mcp-simple-aggregator: write /dev/stdout: no space left on device\n"; got != want {
		t.Errorf("standard error %q, want %q", got, want)
	}
}

// openTerminal returns the two sides of a pseudo-terminal.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	var number int
	raw, err := master.SyscallConn()
	check(t, err)
	var failure error
	check(t, raw.Control(func(fd uintptr) {
		failure = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		if failure == nil {
			number, failure = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	check(t, failure)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	check(t, err)
	return master, terminal
}
