package child_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

const stopped = `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' was stopped"}}`

func TestChildrenAreStoppedConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEventLog()
		fakes := testutil.Spawner{"a": scripted, "slow": ignoresStdinEnd(scripted), "busy": endsSlowly(1500*time.Millisecond, scripted)}
		ignored := testutil.Spawner{"deaf": ignoresStdinEnd(scripted), "numb": ignoresStdinEnd(scripted)}
		c := startManager(t, watchWithDeaf(d, fakes, ignored, "terminate"), child.Options{}, "deaf", "a", "slow", "numb", "busy")
		c.initializeAll()
		pending := c.callTool("a", "hang")
		d.began = time.Now()
		c.stop()
		want(t, "it took", time.Since(d.began), 4*time.Second)
		want(t, "outcome of a pending call", pending.await(t), stopped)
		want(t, "well-behaved", d.ofChild("a"), "0s: spawned, 0s: stdin closed, 0s: ended: exit status 0")
		want(t, "busy", d.ofChild("busy"), "0s: spawned, 0s: stdin closed, 1.5s: ended: exit status 0")
		want(t, "ignores stdin", d.ofChild("slow"), "0s: spawned, 0s: stdin closed, 2s: terminated, 2s: ended: signal: terminated")
		for _, key := range []string{"deaf", "numb"} {
			want(t, key, d.ofChild(key), "0s: spawned, 0s: stdin closed, 2s: terminated, 4s: killed, 4s: ended: signal: killed")
			want(t, "state", c.status(key).State, child.Stopped)
		}
		want(t, "an answer afterwards", c.callTool("a", "x").await(t), stopped)
		want(t, "further outcomes", len(pending.outcomesSoFar()), 0)
		c.wantLog()
	})
}

// watchWithDeaf spawns from fakes, or else from ignored, whose children do not get the signals.
func watchWithDeaf(d *eventLog, fakes, ignored testutil.Spawner, signals ...string) child.Spawner {
	received, missed := d.watch(fakes), d.watch(ignored, signals...)
	return spawnFunc(func(s serverConfig) (*child.Process, error) {
		if _, ok := ignored[s.Key]; ok {
			return missed.Spawn(s)
		}
		return received.Spawn(s)
	})
}

// endsSlowly is a Program that exits after a delay.
func endsSlowly(delay time.Duration, p testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		exit := p(ctx, stdio)
		time.Sleep(delay)
		return exit
	}
}

func TestStopGivesUpWithinItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEventLog()
		release := make(chan struct{})
		c := startManager(t, watchWithDeaf(d, testutil.Spawner{"a": scripted}, testutil.Spawner{"stuck": func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			_ = scripted(ctx, stdio)
			<-release
			return "exit status 0"
		}}, "terminate", "kill"), child.Options{}, "stuck", "a")
		c.initializeAll()
		began := time.Now()
		err := c.Stop(t.Context())
		want(t, "it took", time.Since(began), 8*time.Second)
		if err == nil || err.Error() != "children did not end within 8s" {
			t.Errorf("error %v", err)
		}
		want(t, "diary of the stuck one", d.ofChild("stuck"), "0s: spawned, 0s: stdin closed, 2s: terminated, 4s: killed, 8s: killed")
		want(t, "diary of the other", d.ofChild("a"), "0s: spawned, 0s: stdin closed, 0s: ended: exit status 0, 8s: killed")
		close(release)
		c.stop()
	})
}

func TestGraceAndStopBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEventLog()
		release := make(chan struct{})
		c := startManager(t, d.watch(testutil.Spawner{"a": func(context.Context, testutil.Stdio) child.Exit {
			<-release
			return ""
		}}, "terminate", "kill"), child.Options{Grace: time.Second, StopBudget: 3 * time.Second}, "a")
		synctest.Wait()
		if err := c.Stop(t.Context()); err == nil || err.Error() != "children did not end within 3s" {
			t.Errorf("error %v", err)
		}
		want(t, "diary", d.ofChild("a"), "0s: spawned, 0s: stdin closed, 1s: terminated, 2s: killed, 3s: killed")
		close(release)
		c.stop()
	})
}

func TestStopIsNoFailureAtAnyTime(t *testing.T) {
	tests := []struct {
		name        string
		program     testutil.Program
		initialized bool
	}{
		{"before the client is there", scripted, false},
		{"while initialize is pending", silent, true},
		{"while tools/list is pending", ignoresLines(`"tools/list"`), true},
		{"when it has been slow", silent, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"a": test.program}, child.Options{WarnAfter: time.Hour, HandshakeTimeout: 2 * time.Hour}, "a")
				if test.initialized {
					c.Initialize(initializeParams)
				}
				synctest.Wait()
				began := time.Now()
				c.stop()
				want(t, "it took", time.Since(began), 0)
				<-c.Settled("a")
				want(t, "status", c.status("a"), child.Status{Key: "a", State: child.Stopped})
				c.wantLog()
			})
		})
	}
}

func TestStopRightAfterStart(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			c := startManager(t, testutil.Spawner{"a": scripted}, child.Options{}, "a")
			c.Initialize(initializeParams)
			c.stop()
			want(t, "state", c.status("a").State, child.Stopped)
			c.wantLog()
		})
	}
}

func TestQueuedLinesAreWrittenBeforeStdinIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var received stdinRecorder
		c := startManager(t, testutil.Spawner{"a": received.record(scripted)}, child.Options{}, "a")
		c.initializeAll()
		for range 100 {
			c.callTool("a", "hang")
		}
		c.stop()
		want(t, "lines received", len(received.lines()), 103)
	})
}

func TestALateResponseOfAStoppedChildIsNotWarnedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": testutil.Raw{Handle: func(_, id string, out io.Writer) child.Exit {
			time.Sleep(time.Second)
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":"late"}`, id)
			return ""
		}}.Run}, child.Options{}, "a")
		c.initializeAll()
		r := c.callTool("a", "x")
		synctest.Wait()
		c.stop()
		want(t, "outcome", r.await(t), stopped)
		want(t, "further outcomes", len(r.outcomesSoFar()), 0)
		c.wantLog()
	})
}

func TestAChildEndsAlthoughItsStdoutIsHeldOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, withStdoutHeldOpen(testutil.Spawner{"a": scripted}), child.Options{}, "a")
		c.initializeAll()
		began := time.Now()
		c.stop()
		want(t, "it took a tenth of a second, about", time.Since(began) < child.DrainTime/5, true)
	})
}

func TestAChildIsEndedWhileTheClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newEventLog()
		c := startManager(t, d.watch(testutil.Spawner{"a": ignoresStdinEnd(scripted), "b": scripted}), child.Options{}, "a", "b")
		c.initializeAll()
		blocked := c.callTool("a", "hang")
		for range cap(blocked.outcomes) {
			blocked.outcomes <- "an outcome that is not read"
		}
		d.began = time.Now()
		ended := make(chan error)
		go func() { ended <- c.Stop(t.Context()) }()
		time.Sleep(2500 * time.Millisecond)
		want(t, "diary", d.ofChild("a"), "0s: spawned, 0s: stdin closed, 2s: terminated, 2s: ended: signal: terminated")
		want(t, "diary of the other", d.ofChild("b"), "0s: spawned, 0s: stdin closed, 0s: ended: exit status 0")
		for range cap(blocked.outcomes) { // the client reads again
			<-blocked.outcomes
		}
		want(t, "outcome", blocked.await(t), stopped)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestAChildThatIsBeingSpawnedIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fakes := testutil.Spawner{"a": ignoresStdinEnd(silent)}
		spawning, spawn := make(chan bool), make(chan bool)
		c := startManager(t, spawnFunc(func(s serverConfig) (*child.Process, error) {
			close(spawning)
			<-spawn
			return fakes.Spawn(s)
		}), child.Options{Grace: time.Hour, StopBudget: 10 * time.Hour}, "a")
		<-spawning
		c.Kill()
		began := time.Now()
		close(spawn)
		c.stop()
		want(t, "it took less than the grace", time.Since(began) < time.Hour, true)
	})
}

func TestStopWithoutStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := child.NewManager(&config.McpConfig{Servers: []config.ServerConfig{{Key: "a"}}}, testutil.Spawner{}, &clientRecorder{}, &toolsRecorder{}, slog.New(slog.DiscardHandler), child.Options{})
		if err := m.Stop(t.Context()); err != nil { // nothing was started
			t.Error(err)
		}
	})
}

// blockedLog is a log that blocks until it is opened.
type blockedLog struct {
	logBuffer
	open chan struct{}
}

func (g *blockedLog) Write(p []byte) (int, error) {
	<-g.open
	return g.logBuffer.Write(p)
}

// While the log blocks the owner, both the stop and the handshake that it breaks are
// signaled: that is a stop, not a failure.
func TestAHandshakeThatStopBreaksIsNoFailure(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			log := &blockedLog{open: make(chan struct{})}
			m := child.NewManager(&config.McpConfig{Servers: []config.ServerConfig{{Key: "a"}}},
				testutil.Spawner{"a": silent}, &clientRecorder{}, &toolsRecorder{}, slog.New(slog.NewTextHandler(log, nil)), child.Options{})
			if err := m.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			m.Initialize(initializeParams)
			time.Sleep(15 * time.Second) // the warning blocks
			synctest.Wait()
			stopping := make(chan error, 1)
			go func() { stopping <- m.Stop(t.Context()) }()
			synctest.Wait()
			close(log.open)
			if err := <-stopping; err != nil {
				t.Error(err)
			}
			want(t, "state", m.Statuses()[0].State, child.Stopped)
			want(t, "failures in the log", strings.Count(log.String(), "failed"), 0)
		})
	}
}

// onFail is a Replier whose function is called by Fail.
type onFail func()

func (f onFail) Reply(*wire.Message) {}
func (f onFail) Fail(*wire.Error)    { f() }

func TestTheErrorsForADeadChildAreFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startManager(t, testutil.Spawner{"a": scripted}, child.Options{}, "a")
		c.initializeAll()
		before := -1
		c.Call("a", scanned(t, callOfSize(100)), []byte(`"hang"`), onFail(func() { before = c.clientRecorder.flushCount() }))
		c.callTool("a", "exit exit status 7")
		synctest.Wait()
		if after := c.clientRecorder.flushCount(); before < 0 || after <= before {
			t.Errorf("%d flushes when the call was answered, %d in the end", before, after)
		}
	})
}

func TestStopWaitsABoundedTimeForTheClient(t *testing.T) {
	for _, test := range []struct{ takes, waits time.Duration }{
		{child.DrainTime / 2, child.DrainTime / 2},
		{time.Hour, child.DrainTime},
	} {
		t.Run("it takes "+test.takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startManager(t, testutil.Spawner{"a": scripted}, child.Options{}, "a")
				c.initializeAll()
				c.Call("a", scanned(t, callOfSize(100)), []byte(`"hang"`), onFail(func() { time.Sleep(test.takes) }))
				began := time.Now()
				c.stop()
				want(t, "Stop took", time.Since(began), test.waits)
				time.Sleep(test.takes)
			})
		})
	}
}

// heldOpen is a stdin whose other end stays open, unread, after the child has exited.
type heldOpen struct {
	io.WriteCloser
	full   bool
	closed chan struct{}
	once   sync.Once
}

func (h *heldOpen) Write(p []byte) (int, error) {
	h.full = h.full || strings.Contains(string(p), `"name":"fill"`)
	if h.full {
		<-h.closed
		return 0, io.ErrClosedPipe
	}
	return h.WriteCloser.Write(p)
}

func (h *heldOpen) Close() error {
	h.once.Do(func() { close(h.closed) })
	return h.WriteCloser.Close()
}

func TestAStdinThatIsHeldOpenDelaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fakes := testutil.Spawner{"a": ignoresStdinEnd(scripted)}
		c := startManager(t, spawnFunc(func(s serverConfig) (*child.Process, error) {
			p, err := fakes.Spawn(s)
			if err == nil {
				p.Stdin = &heldOpen{WriteCloser: p.Stdin, closed: make(chan struct{})}
			}
			return p, err
		}), child.Options{}, "a")
		c.initializeAll()
		r := c.callTool("a", "fill")
		synctest.Wait()
		began := time.Now()
		c.stop()
		want(t, "it took", time.Since(began), 2*time.Second) // and a SIGTERM
		want(t, "outcome", r.await(t), stopped)
	})
}
