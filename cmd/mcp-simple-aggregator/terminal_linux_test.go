package main_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
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
	var stdout testutil.Buffer
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
	noError(t, terminal.Close())
	lines := strings.Split(progressTime.ReplaceAllString(<-shown, "after TIME"), "\r\n")
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 {
		t.Errorf("check ended with %v", err)
	}
	slices.Sort(lines)
	want := []string{
		"",
		`"b\x1b[2J": failed`,
		`a: running, 1 tool after TIME`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("on the terminal:\n got %q\nwant %q", lines, want)
	}
	if !strings.HasPrefix(stdout.String(), "SERVER ") {
		t.Errorf("standard output begins %.20q", stdout.String())
	}
}

func TestCheckSuitsTheTerminal(t *testing.T) {
	t.Parallel()
	const columns = 60
	tests := map[string]struct {
		variable string
		color    bool
	}{
		"a terminal has colors":        {"TERM=xterm", true},
		"NO_COLOR asks for none":       {"NO_COLOR=1", false},
		"an empty NO_COLOR is not set": {"NO_COLOR=", true},
		"a dumb terminal has none":     {"TERM=dumb", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := runOnTerminal(t, columns, test.variable, "check", "--config",
				writeConfig(t, t.TempDir(), `"good":{"command":"fakechild"},"bad":{"command":"no-such-command"}`))
			if got := strings.Contains(shown, "\x1b[31mfailed\x1b[0m"); got != test.color || !got && strings.Contains(shown, "\x1b") {
				t.Errorf("colors %t, want %t:\n%s", got, test.color, shown)
			}
			plain := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(shown, "")
			for line := range strings.SplitSeq(plain, "\r\n") {
				if len(line) > columns {
					t.Errorf("a line of %d columns: %q", len(line), line)
				}
			}
			if strings.Count(plain, `"no-such-command"`) != 1 || !regexp.MustCompile(`\r\n {11}"no-such-command" is`).MatchString(plain) {
				t.Errorf("the reason is not said once, and wrapped:\n%s", plain)
			}
		})
	}
}

// No line of a report is wider than a narrow terminal.
func TestCheckFitsNarrowTerminals(t *testing.T) {
	t.Parallel()
	servers := `"a-server-with-a-long-name-for-that":{"command":"fakechild","args":["-offer","x,y"]},` +
		`"b":{"command":"fakechild"},"off":{"command":"fakechild","disabled":true}`
	for _, columns := range []int{40, 60, 80} {
		t.Run(strconv.Itoa(columns), func(t *testing.T) {
			t.Parallel()
			shown := runOnTerminal(t, uint16(columns), "NO_COLOR=1", "check", "--deny", "*:y", "--config", writeConfig(t, t.TempDir(), servers))
			for line := range strings.SplitSeq(shown, "\r\n") {
				if len(line) > columns {
					t.Errorf("a line of %d columns: %q", len(line), line)
				}
			}
			if !strings.Contains(shown, "READY") {
				t.Errorf("the columns are wrong:\n%s", shown)
			}
		})
	}
}

// runOnTerminal runs the program with its standard output on a terminal of that many
// columns, and returns the output.
func runOnTerminal(t *testing.T, columns uint16, variable string, args ...string) string {
	t.Helper()
	master, terminal := openTerminal(t)
	raw, err := terminal.SyscallConn()
	noError(t, err)
	noError(t, raw.Control(func(fd uintptr) {
		noError(t, unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}))
	}))
	cmd := exec.CommandContext(t.Context(), "mcp-simple-aggregator", args...)
	cmd.Env = append(environ(testutil.Mark(t)), "TERM=xterm", variable)
	cmd.Stdout = terminal
	shown := make(chan string)
	go func() {
		text, _ := io.ReadAll(master) // ends with EIO when nobody has the terminal open any more
		testutil.Record(string(text))
		shown <- string(text)
	}()
	err = cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Error(err)
	}
	noError(t, terminal.Close())
	return <-shown
}

func TestCallWhoseResultCannotBeWrittenFails(t *testing.T) {
	t.Parallel()
	config := writeConfig(t, t.TempDir(), `"a":{"command":"fakechild"}`)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	noError(t, err)
	defer full.Close()
	var stderr testutil.Buffer
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
	noError(t, err)
	var failure error
	noError(t, raw.Control(func(fd uintptr) {
		failure = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		if failure == nil {
			number, failure = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	noError(t, failure)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	noError(t, err)
	return master, terminal
}
