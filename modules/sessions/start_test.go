package sessions_test

import (
	"testing"
	"testing/synctest"

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
