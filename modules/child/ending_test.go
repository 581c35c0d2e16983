package child_test

import (
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

// gate is a log that nobody reads until it is opened.
type gate struct {
	logbook
	open chan struct{}
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.logbook.Write(p)
}

// While the owner is busy with a log that blocks, both the stop and the
// handshake that it breaks come to be known: that is a stop, not a failure.
func TestAHandshakeThatStoppingBreaksIsNoFailure(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			log := &gate{open: make(chan struct{})}
			m := child.NewManager(&config.McpConfig{Servers: []config.ServerConfig{{Key: "a"}}},
				testutil.Spawner{"a": mute}, &flushes{}, &tools{}, slog.New(slog.NewTextHandler(log, nil)), child.Options{})
			if err := m.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			m.Initialize(hello)
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

// onFail is a Replier that does something when it is failed.
type onFail func()

func (f onFail) Reply(*wire.Message) {}
func (f onFail) Fail(*wire.Error)    { f() }

func TestTheAnswersForADeadChildAreFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := muster(t, testutil.Spawner{"a": obeys}, child.Options{}, "a")
		c.greet()
		before := -1
		c.Call("a", scanned(t, sized(100)), []byte(`"hang"`), onFail(func() { before = c.flushes.sum() }))
		c.ask("a", "exit exit status 7")
		synctest.Wait()
		if after := c.flushes.sum(); before < 0 || after <= before {
			t.Errorf("%d flushes when the call was answered, %d in the end", before, after)
		}
	})
}

func TestStopWaitsALittleForTheLastAnswerToBeTaken(t *testing.T) {
	for _, test := range []struct{ takes, waits time.Duration }{
		{child.DrainTime / 2, child.DrainTime / 2},
		{time.Hour, child.DrainTime},
	} {
		t.Run("it takes "+test.takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := muster(t, testutil.Spawner{"a": obeys}, child.Options{}, "a")
				c.greet()
				c.Call("a", scanned(t, sized(100)), []byte(`"hang"`), onFail(func() { time.Sleep(test.takes) }))
				began := time.Now()
				c.dismiss()
				want(t, "Stop took", time.Since(began), test.waits)
				time.Sleep(test.takes)
			})
		})
	}
}

// heldOpen is a stdin whose other end stays open, unread, after the child's
// death.
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

func TestAStdinThatSomebodyHoldsOpenHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fakes := testutil.Spawner{"a": lingers(obeys)}
		c := muster(t, spawnFunc(func(s serverConfig) (*child.Process, error) {
			p, err := fakes.Spawn(s)
			if err == nil {
				p.Stdin = &heldOpen{WriteCloser: p.Stdin, closed: make(chan struct{})}
			}
			return p, err
		}), child.Options{}, "a")
		c.greet()
		r := c.ask("a", "fill")
		synctest.Wait()
		began := time.Now()
		c.dismiss()
		want(t, "it took", time.Since(began), 2*time.Second) // and a SIGTERM
		want(t, "outcome", r.await(t), stopped)
	})
}
