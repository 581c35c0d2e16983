package sessions_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

// expectRecorded compares the observations and events since its last call.
func expectRecorded(t *testing.T, h *harness, seen, events string) {
	t.Helper()
	synctest.Wait()
	gotSeen, gotEvents := h.takeRecorded()
	if got := strings.Join(gotSeen, ", "); got != seen {
		t.Errorf("it was seen as %q, not %q", got, seen)
	}
	if got := strings.Join(gotEvents, ", "); got != events {
		t.Errorf("its history has %q, not %q", got, events)
	}
}

func TestAWantedServerIsConnectedAndItsToolsAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
		state := h.State("1")
		if state.Live == nil || !state.Live.BeginCall() || h.listed["1"] != 2 {
			t.Errorf("no call can be made: %+v, %v", state, h.listed)
		}
	})
}

func TestAServerThatIsNotWantedIsNotConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		s := newServer()
		s.Wanted, s.Status = false, servers.Disconnected
		h.put(s)
		expectRecorded(t, h, "", "")
		if status, err := h.Connect(t.Context(), "1"); status != servers.Connecting || err != nil {
			t.Error(status, err)
		}
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
		if status, err := h.Connect(t.Context(), "1"); status != servers.Connected || err != nil {
			t.Error(status, err)
		}
		expectRecorded(t, h, "", "")
	})
}

func TestAServerThatDropsIsConnectedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{MaxFailures: 3})
		h.put(newServer())
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
		time.Sleep(time.Hour)
		h.setDial(func(context.Context, sessions.Target) error { return errors.New("nobody there") })
		h.lastSession().drop(errors.New("it fell over"))
		expectRecorded(t, h, "CONNECTING it fell over, CONNECTING nobody there", "DISCONNECTED it fell over, ERROR nobody there")
		if len(h.listed) != 0 {
			t.Error("its tools are listed")
		}
		time.Sleep(5 * time.Second)
		expectRecorded(t, h, "ERROR nobody there", "")
		h.setDial(nil)
		time.Sleep(time.Minute)
		expectRecorded(t, h, "CONNECTED 2", "RECONNECT connected again")
	})
}

func TestASessionThatEndedIsKeptForItsPendingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		synctest.Wait()
		old, live := h.lastSession(), h.State("1").Live
		live.BeginCall()
		old.drop(errors.New("it forgot the session"))
		time.Sleep(10 * time.Second)
		if now := h.State("1").Live; now == nil || now == live || old.closed {
			t.Errorf("connected again: %v, closed: %v", now != live, old.closed)
		}
		live.EndCall()
		synctest.Wait()
		if !old.closed {
			t.Error("it is open")
		}
	})
}

func TestAServerThatKeepsDroppingIsReconnectedWithBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		for until := time.Now().Add(10 * time.Minute); time.Now().Before(until); time.Sleep(time.Millisecond) {
			synctest.Wait()
			if state := h.State("1"); state.Live != nil {
				h.lastSession().drop(errors.New("again"))
			}
		}
		if n := h.dialCount(); n < 8 || n > 40 {
			t.Errorf("it was dialled %d times in 10 minutes", n)
		}
	})
}

func TestAServerThatCannotBeConnectedIsInErrorAtOnceAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.setDial(func(context.Context, sessions.Target) error { return errors.New("nobody there") })
		h.put(newServer())
		expectRecorded(t, h, "CONNECTING, ERROR nobody there", "ERROR nobody there")
		time.Sleep(10 * time.Minute)
		expectRecorded(t, h, "", "")
		if n := h.dialCount(); n < 8 || n > 40 {
			t.Errorf("it was dialled %d times in 10 minutes", n)
		}
		h.setDial(nil)
		if _, err := h.Connect(t.Context(), "1"); err != nil {
			t.Error(err)
		}
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
	})
}

func TestAVariableThatIsNotSetIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.unset = "TOKEN"
		h.put(newServer())
		time.Sleep(time.Hour)
		expectRecorded(t, h, "CONNECTING, ERROR TOKEN is not set", "ERROR TOKEN is not set")
		if h.dialCount() != 0 {
			t.Error("it was dialled")
		}
	})
}

func TestAnAttemptIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{DialTimeout: time.Minute})
		h.setDial(func(ctx context.Context, _ sessions.Target) error {
			<-ctx.Done()
			return errors.New("took too long")
		})
		h.put(newServer())
		expectRecorded(t, h, "CONNECTING", "")
		time.Sleep(time.Minute)
		expectRecorded(t, h, "ERROR took too long", "ERROR took too long")
	})
}

func TestAnAttemptThatKnowsNoReasonIsGivenOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{DialTimeout: time.Minute})
		h.setDial(func(ctx context.Context, _ sessions.Target) error {
			<-ctx.Done()
			return ctx.Err()
		})
		h.put(newServer())
		time.Sleep(time.Minute)
		expectRecorded(t, h, "CONNECTING, ERROR it was not connected after 1m0s", "ERROR it was not connected after 1m0s")
	})
}

func TestAnotherConnectionIsUsedOnceItIsChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		s := newServer()
		h.put(s)
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
		s.Description = "another"
		h.put(s)
		expectRecorded(t, h, "", "")
		s.Connection.URL = "http://b"
		h.put(s)
		expectRecorded(t, h, "CONNECTING, CONNECTING, CONNECTING, CONNECTED 2", "DISCONNECTED its connection was changed, CONNECTED connected")
		if got := h.dialled[1].Server.Connection.URL; got != "http://b" || !h.live[0].closed {
			t.Error(got)
		}
	})
}

func TestAnAttemptIsGivenUpWhenItIsNotWantedAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.setDial(func(ctx context.Context, _ sessions.Target) error {
			<-ctx.Done()
			return ctx.Err()
		})
		h.put(newServer())
		synctest.Wait()
		if pending, err := h.Disconnect(t.Context(), "1"); pending != 0 || err != nil {
			t.Error(pending, err)
		}
		expectRecorded(t, h, "CONNECTING, DISCONNECTED", "")
	})
}

func TestARemovedServerIsDisconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		synctest.Wait()
		h.remove("1")
		synctest.Wait()
		if !h.lastSession().closed || h.State("1") != nil {
			t.Error("it is there")
		}
		if _, err := h.Disconnect(t.Context(), "1"); !errors.Is(err, servers.ErrUnknown) {
			t.Error(err)
		}
	})
}

func TestToolsAreListedAgainWhenTheyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
		peer := h.lastSession().peer
		peer.Tools(make([][]byte, 5))
		expectRecorded(t, h, "CONNECTED 5", "")
		peer.ListFailed("the list is no list")
		expectRecorded(t, h, "DEGRADED 5 the list is no list", "")
		if h.State("1").Live == nil {
			t.Error("no call can be made")
		}
		peer.Tools(make([][]byte, 5))
		expectRecorded(t, h, "CONNECTED 5", "")
	})
}

func TestOneReplicaRunsAProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		claim := &fakeClaim{lost: make(chan struct{})}
		var free atomic.Bool
		h.claims = func(string) (servers.Claim, bool, error) {
			return claim, free.Load(), nil
		}
		s := newServer()
		s.Transport = servers.Stdio
		h.put(s)
		time.Sleep(time.Minute)
		expectRecorded(t, h, "DISCONNECTED another replica of the service runs it", "")
		began := time.Now()
		if status, err := h.Connect(t.Context(), "1"); status != servers.Disconnected || err != nil || time.Since(began) > time.Second {
			t.Errorf("it is %s after %v: %v", status, time.Since(began), err)
		}
		expectRecorded(t, h, "", "")
		free.Store(true)
		time.Sleep(time.Second)
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
		free.Store(false)
		close(claim.lost)
		expectRecorded(t, h, "DISCONNECTED, DISCONNECTED another replica of the service runs it", "DISCONNECTED the claim to run it was lost")
		if !h.lastSession().closed || !claim.released {
			t.Error("it goes on")
		}
	})
}

func TestStoppingEndsAllSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.put(newServer())
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		expectRecorded(t, h, "DISCONNECTED", "DISCONNECTED the service stopped")
		if !h.lastSession().closed {
			t.Error("it is open")
		}
		h.put(newServer())
		expectRecorded(t, h, "", "")
	})
}
