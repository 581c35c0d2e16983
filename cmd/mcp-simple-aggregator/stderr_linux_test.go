package main_test

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

// Nobody reads standard error: the session goes on and ends as usual.
func TestAStandardErrorThatTakesNothingEndsNoSession(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) *os.File{
		"a broken pipe": func(t *testing.T) *os.File {
			t.Helper()
			r, w := pipe(t)
			noError(t, r.Close())
			return w
		},
		"a full disk": func(t *testing.T) *os.File {
			t.Helper()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			noError(t, err)
			t.Cleanup(func() { _ = full.Close() })
			return full
		},
		"a full pipe that nobody reads": func(t *testing.T) *os.File {
			t.Helper()
			_, w := pipe(t)
			fill(t, w)
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := `"a":{"command":"fakechild","args":["-offer","pid,die","-noise","noise"]},"b":{"command":"fakechild"},"c":{"command":"no-such-command"}`
			p := startMode{stderr: open(t)}.serve(t, servers, "--debug")
			p.openReady(offered("a", "pid", "die") + "," + echoOf("b"))
			p.send(callOf(3, "a:die"))
			p.expect(crashed(3, "a", "exit status 0"))
			p.expect(listChanged)
			p.request(callOf(4, "b:echo"), result(4, `{"name":"echo"}`))
			noError(t, p.stdin.Close())
			p.awaitExit(0)
		})
	}
}

// fill writes to a pipe until it is full. The file stays in blocking mode.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	raw, err := w.SyscallConn()
	noError(t, err)
	noError(t, raw.Control(func(fd uintptr) {
		for _, chunk := range []string{strings.Repeat("x", 4096), "x"} {
			for err := error(nil); err == nil; {
				_, err = syscall.Write(int(fd), []byte(chunk))
			}
		}
	}))
}

// What fits into a pipe that is read late is not lost, and nothing waits for room.
func TestAStandardErrorThatIsReadLateHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	p := startMode{stderr: w}.serve(t, `"a":{"command":"fakechild","args":["-offer","gush,die","-gush","10"]},"b":{"command":"fakechild"}`, "--debug")
	noError(t, w.Close())
	p.openReady(offered("a", "gush", "die") + "," + echoOf("b"))
	p.request(callOf(3, "a:gush"), result(3, `{}`))
	p.request(callOf(4, "b:echo"), result(4, `{"name":"echo"}`))
	noError(t, p.stdin.Close())
	p.awaitExit(0)
	text, err := io.ReadAll(r)
	noError(t, err)
	if !strings.HasPrefix(string(text), "level=") {
		t.Errorf("standard error begins %.200q", text)
	}
}
