package child_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

const stopped = `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Server 'a' was stopped"}}`

func TestChildrenAreStoppedSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		fakes := testutil.Spawner{"a": obeys, "slow": lingers(obeys), "busy": slowly(1500*time.Millisecond, obeys)}
		deaf := testutil.Spawner{"deaf": lingers(obeys), "numb": lingers(obeys)}
		c := muster(t, either(d, fakes, deaf, "terminate"), child.Options{}, "deaf", "a", "slow", "numb", "busy")
		c.greet()
		pending := c.ask("a", "hang")
		d.began = time.Now()
		c.dismiss()
		want(t, "it took", time.Since(d.began), 4*time.Second)
		want(t, "outcome of a pending call", pending.await(t), stopped)
		want(t, "well-behaved", d.of("a"), "0s: spawned, 0s: stdin closed, 0s: ended: exit status 0")
		want(t, "busy", d.of("busy"), "0s: spawned, 0s: stdin closed, 1.5s: ended: exit status 0")
		want(t, "ignores stdin", d.of("slow"), "0s: spawned, 0s: stdin closed, 2s: terminated, 2s: ended: signal: terminated")
		for _, key := range []string{"deaf", "numb"} {
			want(t, key, d.of(key), "0s: spawned, 0s: stdin closed, 2s: terminated, 4s: killed, 4s: ended: signal: killed")
			want(t, "state", c.status(key).State, child.Stopped)
		}
		want(t, "an answer afterwards", c.ask("a", "x").await(t), stopped)
		want(t, "further outcomes", len(pending.soFar()), 0)
		c.wantLog()
	})
}

// either spawns what is in fakes, or else in deaf, whose children miss signals.
func either(d *diary, fakes, deaf testutil.Spawner, signals ...string) child.Spawner {
	heard, missed := d.watched(fakes), d.watched(deaf, signals...)
	return spawnFunc(func(s serverConfig) (*child.Process, error) {
		if _, ok := deaf[s.Key]; ok {
			return missed.Spawn(s)
		}
		return heard.Spawn(s)
	})
}

// slowly is a Program that takes its time to end.
func slowly(delay time.Duration, p testutil.Program) testutil.Program {
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		exit := p(ctx, stdio)
		time.Sleep(delay)
		return exit
	}
}

func TestStopGivesUpWithinItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		release := make(chan struct{})
		c := muster(t, either(d, testutil.Spawner{"a": obeys}, testutil.Spawner{"stuck": func(ctx context.Context, stdio testutil.Stdio) child.Exit {
			_ = obeys(ctx, stdio)
			<-release
			return "exit status 0"
		}}, "terminate", "kill"), child.Options{}, "stuck", "a")
		c.greet()
		began := time.Now()
		err := c.Stop(t.Context())
		want(t, "it took", time.Since(began), 8*time.Second)
		if err == nil || err.Error() != "children did not end within 8s" {
			t.Errorf("error %v", err)
		}
		want(t, "diary of the stuck one", d.of("stuck"), "0s: spawned, 0s: stdin closed, 2s: terminated, 4s: killed, 8s: killed")
		want(t, "diary of the other", d.of("a"), "0s: spawned, 0s: stdin closed, 0s: ended: exit status 0, 8s: killed")
		close(release)
		c.dismiss()
	})
}

func TestTheLadderIsAnOption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		release := make(chan struct{})
		c := muster(t, d.watched(testutil.Spawner{"a": func(context.Context, testutil.Stdio) child.Exit {
			<-release
			return ""
		}}, "terminate", "kill"), child.Options{Grace: time.Second, StopBudget: 3 * time.Second}, "a")
		synctest.Wait()
		if err := c.Stop(t.Context()); err == nil || err.Error() != "children did not end within 3s" {
			t.Errorf("error %v", err)
		}
		want(t, "diary", d.of("a"), "0s: spawned, 0s: stdin closed, 1s: terminated, 2s: killed, 3s: killed")
		close(release)
		c.dismiss()
	})
}

func TestStoppingAtAnyTimeIsNoFailure(t *testing.T) {
	tests := []struct {
		name    string
		program testutil.Program
		greeted bool
	}{
		{"before the client is there", obeys, false},
		{"while initialize is pending", mute, true},
		{"while tools/list is pending", mutes(`"tools/list"`), true},
		{"when it has been slow", mute, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := muster(t, testutil.Spawner{"a": test.program}, child.Options{WarnAfter: time.Hour, FailAfter: 2 * time.Hour}, "a")
				if test.greeted {
					c.Initialize(hello)
				}
				synctest.Wait()
				began := time.Now()
				c.dismiss()
				want(t, "it took", time.Since(began), 0)
				<-c.Settled("a")
				want(t, "status", c.status("a"), child.Status{Key: "a", State: child.Stopped})
				c.wantLog()
			})
		})
	}
}

func TestStoppingRightAfterStarting(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			c := muster(t, testutil.Spawner{"a": obeys}, child.Options{}, "a")
			c.Initialize(hello)
			c.dismiss()
			want(t, "state", c.status("a").State, child.Stopped)
			c.wantLog()
		})
	}
}

func TestWhatIsQueuedIsWrittenBeforeStdinIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard ear
		c := muster(t, testutil.Spawner{"a": heard.on(obeys)}, child.Options{}, "a")
		c.greet()
		for range 100 {
			c.ask("a", "hang")
		}
		c.dismiss()
		want(t, "lines heard", len(heard.lines()), 103)
	})
}

func TestALateAnswerOfAChildThatIsStoppedIsNoNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := muster(t, testutil.Spawner{"a": testutil.Raw{Handle: func(_, id string, out io.Writer) child.Exit {
			time.Sleep(time.Second)
			testutil.Say(out, `{"jsonrpc":"2.0","id":%s,"result":"late"}`, id)
			return ""
		}}.Run}, child.Options{}, "a")
		c.greet()
		r := c.ask("a", "x")
		synctest.Wait()
		c.dismiss()
		want(t, "outcome", r.await(t), stopped)
		want(t, "further outcomes", len(r.soFar()), 0)
		c.wantLog()
	})
}

func TestAChildEndsAlthoughItsStdoutIsHeldOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := muster(t, clingy(testutil.Spawner{"a": obeys}), child.Options{}, "a")
		c.greet()
		began := time.Now()
		c.dismiss()
		want(t, "it took a tenth of a second, about", time.Since(began) < child.DrainTime/5, true)
	})
}

func TestAChildIsEndedWhileTheClientDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary()
		c := muster(t, d.watched(testutil.Spawner{"a": lingers(obeys), "b": obeys}), child.Options{}, "a", "b")
		c.greet()
		blocked := c.ask("a", "hang")
		for range cap(blocked.outcomes) {
			blocked.outcomes <- "something that nobody reads"
		}
		d.began = time.Now()
		ended := make(chan error)
		go func() { ended <- c.Stop(t.Context()) }()
		time.Sleep(2500 * time.Millisecond)
		want(t, "diary", d.of("a"), "0s: spawned, 0s: stdin closed, 2s: terminated, 2s: ended: signal: terminated")
		want(t, "diary of the other", d.of("b"), "0s: spawned, 0s: stdin closed, 0s: ended: exit status 0")
		for range cap(blocked.outcomes) { // it reads again
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
		fakes := testutil.Spawner{"a": lingers(mute)}
		spawning, spawn := make(chan bool), make(chan bool)
		c := muster(t, spawnFunc(func(s serverConfig) (*child.Process, error) {
			close(spawning)
			<-spawn
			return fakes.Spawn(s)
		}), child.Options{Grace: time.Hour, StopBudget: 10 * time.Hour}, "a")
		<-spawning
		c.Kill()
		began := time.Now()
		close(spawn)
		c.dismiss()
		want(t, "it took less than the grace", time.Since(began) < time.Hour, true)
	})
}

func TestStoppingWhatWasNeverStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := child.NewManager(&config.McpConfig{Servers: []config.ServerConfig{{Key: "a"}}}, testutil.Spawner{}, &flushes{}, &tools{}, slog.New(slog.DiscardHandler), child.Options{})
		if err := m.Stop(t.Context()); err != nil { // nothing was started
			t.Error(err)
		}
	})
}
