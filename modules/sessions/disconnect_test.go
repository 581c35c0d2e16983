package sessions_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

func TestADisconnectWaitsForPendingCalls(t *testing.T) {
	for name, test := range map[string]struct {
		ends    time.Duration // when the call ends, after the disconnect
		took    time.Duration
		pending int
	}{
		"that end in time":   {5 * time.Second, 5 * time.Second, 0},
		"that take too long": {time.Hour, 30 * time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, sessions.Options{})
				h.put(newServer())
				expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
				live := h.State("1").Live
				live.BeginCall()
				time.AfterFunc(test.ends, live.EndCall)
				began := time.Now()
				pending, err := h.Disconnect(t.Context(), "1")
				if took := time.Since(began); pending != test.pending || err != nil || took != test.took {
					t.Errorf("%d pending after %v: %v", pending, took, err)
				}
				expectRecorded(t, h, "DISCONNECTED, DISCONNECTED", "DISCONNECTED disconnected on request")
				if live.BeginCall() || !h.lastSession().closed || len(h.listed) != 0 {
					t.Error("it is not disconnected")
				}
				time.Sleep(time.Hour)
				expectRecorded(t, h, "", "")
			})
		})
	}
}

func TestALaterConnectWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		synctest.Wait()
		live := h.State("1").Live
		live.BeginCall()
		time.AfterFunc(time.Second, live.EndCall)
		time.AfterFunc(time.Second/2, func() {
			if _, err := h.Connect(t.Context(), "1"); err != nil {
				t.Error(err)
			}
		})
		if pending, err := h.Disconnect(t.Context(), "1"); pending != 0 || err != nil {
			t.Error(pending, err)
		}
		time.Sleep(time.Minute)
		if state := h.State("1"); state.Live == nil || state.Live == live {
			t.Errorf("%+v", state)
		}
	})
}

// The desired state may change twice before the reconciler sees it.
func TestADisconnectReturnsThoughTheReconcilerNeverSawIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		synctest.Wait()
		for range 1000 {
			done := make(chan struct{})
			go func() {
				defer close(done)
				if _, err := h.Disconnect(t.Context(), "1"); err != nil {
					t.Error(err)
				}
			}()
			if _, err := h.Connect(t.Context(), "1"); err != nil {
				t.Error(err)
			}
			select {
			case <-done:
			case <-time.After(time.Hour):
				t.Fatal("it waits")
			}
			if _, err := h.Connect(t.Context(), "1"); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Minute)
		}
	})
}

func TestADisconnectThatIsFollowedByARemovalEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		synctest.Wait()
		live := h.State("1").Live
		live.BeginCall()
		time.AfterFunc(2*time.Second, live.EndCall)
		time.AfterFunc(time.Second, func() { h.remove("1") })
		if pending, err := h.Disconnect(t.Context(), "1"); pending != 0 || err != nil {
			t.Error(pending, err)
		}
	})
}

func TestADisconnectWaitsForTheReplicaThatRunsTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		var free atomic.Bool
		h.claims = func(string) (servers.Claim, bool, error) {
			return &fakeClaim{lost: make(chan struct{})}, free.Load(), nil
		}
		s := newServer()
		s.Transport = servers.Stdio
		h.put(s)
		expectRecorded(t, h, "DISCONNECTED another replica of the service runs it", "")
		time.AfterFunc(5*time.Second, func() { free.Store(true) })
		began := time.Now()
		if pending, err := h.Disconnect(t.Context(), "1"); pending != 0 || err != nil {
			t.Error(pending, err)
		}
		if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("it took %v", took)
		}
		expectRecorded(t, h, "DISCONNECTED", "")
	})
}
