package storetest

import (
	"fmt"
	"testing"
	"time"

	"mcp-aggregator/modules/servers"
)

// maxEvents is how many events of a server a store keeps.
const maxEvents = 1000

func histories() contract[servers.Store] {
	return contract[servers.Store]{
		"the newest event comes first, and no more than asked for": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			kinds := []servers.EventKind{servers.EventConnected, servers.EventDisconnected, servers.EventError, servers.EventReconnected}
			var want []servers.Event
			for i, kind := range kinds {
				// The clocks of replicas differ.
				e := servers.Event{Kind: kind, Details: OddText, At: timeAt(9 - i)}
				update(t, s, r.ID, func(r *servers.Server) { r.ToolCount++ }, e)
				e.Server = r.ID
				want = append([]servers.Event{e}, want...)
			}
			equal(t, history(t, s, r.ID, 9), want)
			equal(t, history(t, s, r.ID, 2), want[:2])
			equal(t, len(history(t, s, r.ID, 0))+len(history(t, s, r.ID, -1)), 0)
		},
		"events of one update keep their order": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			update(t, s, r.ID, func(*servers.Server) {}, servers.Event{Details: "1"}, servers.Event{Details: "2"}, servers.Event{Details: "a\x00"})
			equal(t, details(history(t, s, r.ID, 9)), "a\uFFFD 2 1 ")
		},
		"an event without a time is of now, and of that server": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			create(t, s, first, second)
			before := time.Now().Add(-time.Millisecond)
			update(t, s, first.ID, func(*servers.Server) {}, servers.Event{Server: second.ID})
			e := history(t, s, first.ID, 9)[0]
			if e.Server != first.ID || e.At.Before(before) || e.At.After(time.Now()) || e.At.Location() != time.UTC {
				t.Errorf("got %v", e)
			}
		},
		"the newest thousand of a server are kept": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			create(t, s, first, second)
			update(t, s, second.ID, func(*servers.Server) {}, servers.Event{Details: "other"})
			var events []servers.Event
			for i := range maxEvents + 5 {
				events = append(events, servers.Event{Details: fmt.Sprint(i)})
			}
			update(t, s, first.ID, func(*servers.Server) {}, events[:maxEvents-1]...)
			for _, e := range events[maxEvents-1:] {
				update(t, s, first.ID, func(*servers.Server) {}, e)
			}
			got := history(t, s, first.ID, 2*maxEvents)
			equal(t, len(got), maxEvents)
			equal(t, got[0].Details+" "+got[maxEvents-1].Details, fmt.Sprint(maxEvents+4, " ", 5))
			equal(t, details(history(t, s, second.ID, 9)), "other ")
		},
	}
}

func details(events []servers.Event) (text string) {
	for _, e := range events {
		text += e.Details + " "
	}
	return text
}
