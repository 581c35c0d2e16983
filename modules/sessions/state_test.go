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
		h := newUnstartedHouse(t, sessions.Options{})
		h.put(aServer())
		check(t, h, "", "")
		if state := h.State("1"); state == nil || state.Status != servers.Connecting {
			t.Errorf("its state is %+v: calls would not wait for it", state)
		}
		if err := h.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, h, "CONNECTING, CONNECTED 2", "CONNECTED connected")
	})
}

func TestAManagerThatWasNotStartedStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newUnstartedHouse(t, sessions.Options{})
		h.put(aServer())
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		check(t, h, "", "")
	})
}

// Whoever waits is told when it goes on: also after the same failure for the tenth time.
func TestTheStateTellsWhenTheNextAttemptIs(t *testing.T) {
	for name, begin := range map[string]func(h *house){
		"of a server that was never there": func(h *house) {},
		"of a server that dropped after a short time": func(h *house) {
			h.setDial(nil)
			h.put(aServer())
			synctest.Wait()
			h.setDial(func(context.Context, sessions.Target) error { return errors.New("nobody there") })
			h.last().drop(errors.New("it fell over"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, sessions.Options{})
				h.setDial(func(context.Context, sessions.Target) error { return errors.New("nobody there") })
				begin(h)
				h.put(aServer())
				for range 10 {
					synctest.Wait()
					state, dials := h.State("1"), h.dials()
					time.Sleep(time.Until(state.Next) - time.Nanosecond)
					synctest.Wait()
					if h.dials() != dials {
						t.Fatalf("it was dialled before %v", state.Next)
					}
					time.Sleep(time.Nanosecond)
					synctest.Wait()
					select {
					case <-state.Replaced:
					default:
						t.Fatal("who waits for this state is not told of the next")
					}
					if h.dials() != dials+1 {
						t.Fatalf("it was dialled %d times at %v", h.dials()-dials, state.Next)
					}
				}
			})
		})
	}
}
