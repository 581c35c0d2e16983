package sessions_test

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

// Another replica may start the server right after, whatever the reconciler is doing.
func TestAProcessIsKilledAtOnceWhenTheClaimIsLost(t *testing.T) {
	for name, busy := range map[string]func(ctx context.Context, h *harness){
		"with nothing":                   func(context.Context, *harness) {},
		"with a session that will close": func(_ context.Context, h *harness) { h.slow.Store(true) },
		"with pending calls": func(ctx context.Context, h *harness) {
			h.State("1").Live.BeginCall()
			go func() { _, _ = h.Disconnect(ctx, "1") }()
		},
		"with a close that takes its time": func(ctx context.Context, h *harness) {
			go func() { _, _ = h.Disconnect(ctx, "1") }()
		},
		"with a store that hangs": func(_ context.Context, h *harness) {
			h.hangs.Store(true)
			h.lastSession().peer.Tools(make([][]byte, 3))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, sessions.Options{})
				claim := &fakeClaim{lost: make(chan struct{})}
				h.claims = func(string) (servers.Claim, bool, error) { return claim, !claim.released, nil }
				h.slow.Store(true)
				s := newServer()
				s.Transport = servers.Stdio
				h.put(s)
				synctest.Wait()
				busy(t.Context(), h)
				synctest.Wait()
				close(claim.lost)
				synctest.Wait()
				if session := h.lastSession(); session.killed.IsZero() || !session.closed || !claim.released {
					t.Errorf("killed at %v, closed: %t, released: %t", session.killed, session.closed, claim.released)
				}
			})
		})
	}
}

func TestAProcessThatIsNotLostIsNotKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		s := newServer()
		s.Transport = servers.Stdio
		h.put(s)
		synctest.Wait()
		first := h.lastSession()
		first.drop(nil)
		time.Sleep(time.Hour)
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if second := h.lastSession(); second == first || !second.killed.IsZero() || !first.killed.IsZero() {
			t.Error("it was killed")
		}
	})
}

// stuckStore is a store that can be made to hang.
type stuckStore struct {
	servers.Records

	hangs bool
}

func (*stuckStore) Servers(context.Context) ([]servers.Server, error) {
	var all []servers.Server
	for i := range 20 {
		s := newServer()
		s.ID, s.Name, s.RegisteredAt = strconv.Itoa(i), "s"+strconv.Itoa(i), time.Unix(int64(i), 0)
		all = append(all, s)
	}
	return all, nil
}

func (s *stuckStore) Update(ctx context.Context, _ string, _ func(*servers.Server) error, _ ...servers.Event) (servers.Server, error) {
	if s.hangs {
		<-ctx.Done()
	}
	return servers.Server{}, ctx.Err()
}

func TestAHangingStoreDoesNotDelayClosingASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &harness{listed: make(map[string]int)}
		store := &stuckStore{}
		quiet := slog.New(slog.DiscardHandler)
		registry := servers.NewServerRegistry(store, h, quiet)
		m := sessions.NewSessionManager(sessions.Deps{Records: registry, Tools: h, Expander: h, ServerRequests: h, Cluster: h},
			sessions.Dialers{servers.HTTP: h}, quiet, sessions.Options{})
		if err := errors.Join(registry.Start(t.Context()), m.Start(t.Context())); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		store.hangs = true
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		if err := m.Stop(ctx); err != nil || time.Since(began) > 0 {
			t.Errorf("the sessions took %v: %v", time.Since(began), err)
		}
		for _, session := range h.live {
			if !session.closed {
				t.Error("a session is open")
			}
		}
		if err := registry.Stop(ctx); err != nil || ctx.Err() != nil || len(h.live) != 20 {
			t.Errorf("after %v of %d sessions: %v", time.Since(began), len(h.live), err)
		}
	})
}

func TestStopReturnsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, sessions.Options{})
		h.slow.Store(true)
		h.put(newServer())
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if err := h.Stop(ctx); err == nil || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		h.lastSession().Kill()
	})
}
