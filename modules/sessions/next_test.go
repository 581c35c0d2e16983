package sessions_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/sessions"
)

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
