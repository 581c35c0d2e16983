package sessions_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

// Many servers are registered before the service listens: their sessions would compete
// with that for the processors and for the database.
func TestNothingIsConnectedBeforeTheManagerStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newUnstartedHarness(t, sessions.Options{})
		h.put(newServer())
		expectRecorded(t, h, "", "")
		if state := h.State("1"); state == nil || state.Status != servers.Connecting {
			t.Errorf("its state is %+v: calls would not wait for it", state)
		}
		if err := h.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		expectRecorded(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
	})
}

func TestAManagerThatWasNotStartedStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newUnstartedHarness(t, sessions.Options{})
		h.put(newServer())
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		expectRecorded(t, h, "", "")
	})
}

// The state is replaced for every attempt, also after the same failure for the tenth time.
func TestTheStateTellsWhenTheNextAttemptIs(t *testing.T) {
	for name, begin := range map[string]func(h *harness){
		"of a server that was never there": func(h *harness) {},
		"of a server that dropped after a short time": func(h *harness) {
			h.setDial(nil)
			h.put(newServer())
			synctest.Wait()
			h.setDial(func(context.Context, sessions.Target) error { return errors.New("nobody there") })
			h.lastSession().drop(errors.New("it fell over"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t, sessions.Options{})
				h.setDial(func(context.Context, sessions.Target) error { return errors.New("nobody there") })
				begin(h)
				h.put(newServer())
				for range 10 {
					synctest.Wait()
					state, dials := h.State("1"), h.dialCount()
					time.Sleep(time.Until(state.Next) - time.Nanosecond)
					synctest.Wait()
					if h.dialCount() != dials {
						t.Fatalf("it was dialled before %v", state.Next)
					}
					time.Sleep(time.Nanosecond)
					synctest.Wait()
					select {
					case <-state.Replaced:
					default:
						t.Fatal("who waits for this state is not told of the next")
					}
					if h.dialCount() != dials+1 {
						t.Fatalf("it was dialled %d times at %v", h.dialCount()-dials, state.Next)
					}
				}
			})
		})
	}
}
