package child_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func crashed(data string) string {
	return `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' crashed during operation","data":` + data + `}}`
}

func TestACrashFailsEveryPendingCallOnce(t *testing.T) {
	for _, exit := range []string{"exit status 0", "exit status 7", "signal: killed"} {
		t.Run(exit, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"a": scripted, "b": scripted}, child.Options{}, "a", "b")
				c.initializeAll()
				answered := c.callTool("a", "x")
				want(t, "answer", answered.await(t), emptyResult)
				var pending []*replyRecorder
				for range 100 {
					pending = append(pending, c.callTool("a", "hang"))
				}
				other := c.callTool("b", "hang")
				pending = append(pending, c.callTool("a", "exit "+exit))
				synctest.Wait()
				pending = append(pending, c.callTool("a", "after the end"))
				answer := crashed(`{"server":"a","exitStatus":"` + exit + `"}`)
				for i, r := range pending {
					if got := strings.Join(r.outcomesSoFar(), "\n"); got != answer {
						t.Errorf("call %d: %q, want %q", i, got, answer)
					}
				}
				want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Runtime, Reason: "the process ended", Exit: exit})
				want(t, "error", c.status("a").Err.Error(), "server a: runtime: the process ended ("+exit+")")
				want(t, "state of the other", c.status("b").State, child.Running)
				want(t, "outcomes at the other", len(other.outcomesSoFar()), 0)
				c.stop()
				want(t, "outcomes at the end", len(answered.outcomesSoFar())+len(pending[0].outcomesSoFar()), 0)
				want(t, "state at the end", c.status("a").State, child.Failed)
				c.wantLog(fmt.Sprintf(`level=ERROR msg="server failed" server=a phase=runtime reason="the process ended" exit=%q`, exit))
				want(t, "tools were removed once", strings.Count(strings.Join(c.tools.lines(), "\n"), "remove a"), 1)
			})
		})
	}
}

// exitsAfterLines is a Program that writes to stderr and exits with status 7 after it has
// read that many lines.
func exitsAfterLines(after int) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		raw := testutil.Raw{Tools: "[1]"}
		stdio.In = &lineLimitReader{Reader: stdio.In, left: after}
		raw.Run(ctx, stdio)
		fmt.Fprintf(stdio.Err, "starting\nhunter2 is \x1b[31mwrong\xff\n")
		return "exit status 7"
	}
}

// lineLimitReader returns io.EOF after a number of lines.
type lineLimitReader struct {
	io.Reader
	left int
}

func (r *lineLimitReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n, err := r.Reader.Read(p[:1]) // no byte beyond the last line
	r.left -= strings.Count(string(p[:n]), "\n")
	return n, err
}

func TestTheFailureNamesItsPhase(t *testing.T) {
	tests := []struct {
		name  string
		after int // lines that it reads: initialize, initialized, tools/list, a call
		phase child.Phase
	}{
		{"before the client is there", 0, child.Startup},
		{"instead of answering tools/list", 2, child.Initialization},
		{"while it runs", 4, child.Runtime},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startServers(t, testutil.Spawner{"a": exitsAfterLines(test.after), "b": scripted}, child.Options{}, serverWithSecret("a"), config.ServerConfig{Key: "b"})
				synctest.Wait()
				c.initializeAll()
				c.callTool("a", "x").await(t)
				synctest.Wait()
				want(t, "failure", c.failure("a"), child.Error{
					Key: "a", Phase: test.phase, Reason: "the process ended", Exit: "exit status 7",
					Stderr: "starting\n[redacted] is \\x1b[31mwrong\\xff",
				})
				want(t, "state of the other", c.status("b").State, child.Running)
				c.stop()
				c.wantLog(`level=ERROR msg="server failed" server=a phase=` + string(test.phase) +
					` reason="the process ended" exit="exit status 7" stderr="starting\n[redacted] is \\x1b[31mwrong\\xff"`)
			})
		})
	}
}

func TestAnExitDuringInitializeIsReportedInsteadOfTheBrokenHandshake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": func(_ context.Context, stdio testutil.Stdio) child.Exit {
			_, _ = io.ReadFull(stdio.In, make([]byte, 1))
			testutil.Say(stdio.Out, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"I die"}}`)
			time.Sleep(50 * time.Millisecond)
			return "exit status 7"
		}}, child.Options{}, "a")
		c.initializeAll()
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Initialization, Reason: "the process ended", Exit: "exit status 7"})
	})
}

func TestTheLastOutputOfADeadChildIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": testutil.Raw{Handle: func(_, id string, out io.Writer) child.Exit {
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":"last words"}`, id)
			return "exit status 7"
		}}.Run}, child.Options{}, "a")
		c.initializeAll()
		r := c.callTool("a", "x")
		want(t, "answer", r.await(t), `{"jsonrpc":"2.0","id":0,"result":"last words"}`)
		c.stop()
		want(t, "further outcomes", len(r.outcomesSoFar()), 0)
	})
}

func TestAChildThatClosesItsStdout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEventLog()
		c := startManager(t, d.watch(testutil.Spawner{"a": ignoresStdinEnd(scripted), "b": scripted}), child.Options{}, "a", "b")
		c.initializeAll()
		pending := c.callTool("a", "hang")
		c.callTool("a", "stderr a last line")
		c.callTool("a", "close")
		want(t, "answer", pending.await(t), crashed(`{"server":"a"}`))
		want(t, "noticed after", time.Since(d.began), time.Second)
		want(t, "answer later", c.callTool("a", "x").await(t), crashed(`{"server":"a"}`))
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Runtime, Reason: "it closed its standard output", Stderr: "a last line"})
		time.Sleep(time.Minute)
		want(t, "diary", d.ofChild("a"), "0s: spawned, 1s: stdin closed, 3s: terminated, 3s: ended: signal: terminated")
		want(t, "answer of the other", c.callTool("b", "x").await(t), emptyResult)
		want(t, "diary of the other", d.ofChild("b"), "0s: spawned")
		c.wantLog(`level=ERROR msg="server failed" server=a phase=runtime reason="it closed its standard output" stderr="a last line"`)
	})
}

func TestAChildThatClosesItsStdoutAndThenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			scripted(ctx, testutil.Stdio{In: io.LimitReader(stdio.In, 1), Out: stdio.Out, Err: stdio.Err})
			_ = stdio.Out.(io.Closer).Close()
			time.Sleep(child.DrainTime - time.Millisecond)
			return "exit status 7"
		}}, child.Options{}, "a")
		c.initializeAll()
		want(t, "failure", c.failure("a"), child.Error{Key: "a", Phase: child.Initialization, Reason: "the process ended", Exit: "exit status 7"})
	})
}

// withStdoutHeldOpen is a Spawner whose processes exit while their stdout is held open.
func withStdoutHeldOpen(fakes testutil.Spawner) child.Spawner {
	return spawnFunc(func(s config.ServerConfig) (*child.Process, error) {
		p, err := fakes.Spawn(s)
		if err != nil {
			return nil, err
		}
		r, w := io.Pipe()
		stdout := p.Stdout
		go func() { // ends with the process
			_, _ = io.Copy(w, stdout)
		}()
		p.Stdout = r
		return p, nil
	})
}

func TestAnExitIsNoticedWhileStdoutIsHeldOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, withStdoutHeldOpen(testutil.Spawner{"a": scripted}), child.Options{}, "a")
		c.initializeAll()
		began := time.Now()
		want(t, "answer", c.callTool("a", "exit exit status 7").await(t), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
		want(t, "noticed after a tenth of a second, about", time.Since(began) < child.DrainTime/5, true)
	})
}

func TestStderrIsShownWithDebug(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startServersAt(t, slog.LevelDebug, testutil.Spawner{"a": scripted}, child.Options{}, serverWithSecret("a"))
		c.initializeAll()
		synctest.Wait() // the first line is there
		c.callTool("a", "stderr key hunter2")
		c.callTool("a", "x").await(t)
		c.stop()
		c.wantLog(`level=INFO msg="server is running" server=a tools=1 after=0s`, `level=DEBUG msg=stderr server=a line="key [redacted]"`)
	})
}

func TestAKeyWithEscapesIsQuotedInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const key = "a\x1b[2J"
		c := startManager(t, testutil.Spawner{}, child.Options{}, key)
		<-c.Settled(key)
		want(t, "key", c.failure(key).Key, key)
		if text := c.status(key).Err.Error(); strings.Contains(text, "\x1b") {
			t.Errorf("error %q", text)
		}
		c.wantLog(`level=ERROR msg="server failed" server=a\x1b[2J phase=startup reason="command \"run-a\\x1b[2J\" is not on its PATH"`)
	})
}
