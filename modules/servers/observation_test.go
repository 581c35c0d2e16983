package servers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/servers"
)

func TestAnObservationIsShownEvenIfItCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.start(t)
		id := h.register(t, "a")
		h.store.setError(errors.New("disk full"))
		for i := range 3 { // one line is enough
			h.Observe(id, servers.Observation{Status: servers.Connected, ToolCount: i})
			time.Sleep(time.Minute)
		}
		h.expectEvents(t, "a CONNECTING wanted, a CONNECTED wanted, a CONNECTED wanted 1, a CONNECTED wanted 2")
		if got := h.logged(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `msg="status not stored yet" server=a reason="disk full"`) {
			t.Error(got)
		}
		h.store.setError(nil)
		time.Sleep(time.Minute)
		if got := h.store.record(id); got.ToolCount != 2 || got.ConnectedAt.IsZero() {
			t.Errorf("it is stored as %+v", got)
		}
	})
}

func TestObserveDoesNotWaitForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.start(t)
		id := h.register(t, "a")
		h.store.setStuck(true)
		began := time.Now()
		go func() { _, _ = h.SetWanted(t.Context(), id, true) }() // waits in the store
		synctest.Wait()
		for i := range 2000 {
			h.Observe(id, servers.Observation{Status: servers.Connected, ToolCount: i}, servers.Event{Details: fmt.Sprint(i)})
		}
		if s, _ := h.Server(id); s.ToolCount != 1999 || time.Since(began) > 0 {
			t.Errorf("after %v it is shown as %+v", time.Since(began), s)
		}
		before := h.store.updates
		h.store.setStuck(false)
		time.Sleep(time.Minute)
		if got := h.store.record(id); got.ToolCount != 1999 || h.store.updates-before > 3 {
			t.Errorf("it is stored as %+v in %d steps", got, h.store.updates-before)
		}
		checkEvents(t, h.store.events, 1000)
	})
}

// checkEvents: the newest events are there, in their order.
func checkEvents(t *testing.T, events []servers.Event, least int) {
	t.Helper()
	if len(events) < least {
		t.Errorf("there are %d events", len(events))
	}
	last := -1
	for _, e := range events {
		var i int
		if _, err := fmt.Sscan(e.Details, &i); err != nil || i <= last {
			t.Fatalf("%s comes after %d", e.Details, last)
		}
		last = i
	}
	if last != 1999 {
		t.Errorf("the last one is %d", last)
	}
}

func TestStopStoresPendingObservations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.start(t)
		var ids []string
		for i := range 20 {
			ids = append(ids, h.register(t, fmt.Sprint("s", i)))
		}
		for _, id := range ids {
			h.Observe(id, servers.Observation{Status: servers.Errored, Error: "e"})
		}
		h.stop()
		for _, id := range ids {
			if got := h.store.record(id); got.Status != servers.Errored {
				t.Errorf("it is stored as %+v", got)
			}
		}
	})
}

func TestStopReturnsWhenTheStoreHangs(t *testing.T) {
	for name, limit := range map[string]time.Duration{"a short one": time.Second / 2, "a long one": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				if err := h.Start(t.Context()); err != nil {
					t.Fatal(err)
				}
				id := h.register(t, "a")
				h.store.setStuck(true)
				defer h.store.setStuck(false)
				h.Observe(id, servers.Observation{Status: servers.Connected})
				h.changes <- struct{}{}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				began := time.Now()
				_ = h.Stop(ctx)
				if took := time.Since(began); took > min(limit, 3*time.Second) {
					t.Errorf("it took %v", took)
				}
				if got := h.logged(); !strings.Contains(got, `msg="statuses not stored: the service stops" servers=1`) {
					t.Error(got)
				}
			})
		})
	}
}

func TestObservationsOfARemovedServerAreDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.start(t)
		id := h.register(t, "a")
		h.store.setError(errors.New("disk full"))
		h.Observe(id, servers.Observation{Status: servers.Connected}, servers.Event{Kind: servers.EventConnected})
		synctest.Wait()
		h.store.setError(nil)
		if err := h.Remove(t.Context(), id); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if len(h.store.list)+len(h.store.events)+len(h.Servers()) != 0 {
			t.Errorf("%+v %+v %+v", h.store.list, h.store.events, h.Servers())
		}
	})
}
