package servers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"mcp-aggregator/modules/servers"
)

// stored is a record as another replica stores it.
func stored(name string, second int) servers.Server {
	return servers.Server{
		ID: "id-" + name, Name: name, Transport: servers.HTTP, AutoConnect: true, Wanted: true,
		Status: servers.Connected, ToolCount: 9, Error: "e", RegisteredAt: time.Unix(int64(second), 0),
	}
}

func TestChangesOfAnotherReplicaAreMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.store.add(stored("a", 1))
		h.store.add(stored("c", 3))
		h.start(t)
		h.Observe("id-a", servers.Observation{Status: servers.Connected, ToolCount: 2})
		h.expectEvents(t, "a CONNECTING wanted, c CONNECTING wanted, a CONNECTED wanted 2")
		synctest.Wait() // until it is stored

		h.awaitReload(t)
		h.expectEvents(t, "")
		h.store.edit("id-a", func(s *servers.Server) { s.Status, s.ToolCount, s.UpdatedAt = servers.Errored, 0, time.Unix(9, 0) })
		h.awaitReload(t)
		h.expectEvents(t, "") // every replica has its own sessions
		h.store.edit("id-a", func(s *servers.Server) { s.Wanted, s.Description = false, "d" })
		h.store.add(stored("b", 2))
		h.store.deleteRecord("id-c")
		h.awaitReload(t)
		h.expectEvents(t, "-c, a CONNECTED 2, b CONNECTING wanted")
		if got := h.names(); got != "a b" {
			t.Error(got)
		}
		if s, _ := h.Server("id-a"); s.Description != "d" || s.UpdatedAt != time.Unix(9, 0) {
			t.Errorf("%+v", s)
		}
	})
}

func TestRecordsOfOtherReplicasAreInTheOrderOfTheirRegistration(t *testing.T) {
	h := newHarness(t)
	h.store.add(stored("a", 1))
	h.store.add(stored("c", 3))
	h.start(t)
	h.store.add(stored("b", 2))
	h.awaitReload(t)
	if got := h.names(); got != "a b c" {
		t.Error(got)
	}
}

func TestNoTwoServersAreShownWithOneName(t *testing.T) {
	for name, change := range map[string]func(*memoryStore){
		"one takes the name of one that is gone": func(m *memoryStore) {
			m.deleteRecord("id-b")
			m.edit("id-a", func(s *servers.Server) { s.Name = "b" })
		},
		"a new one takes the name of one that is gone": func(m *memoryStore) {
			m.deleteRecord("id-a")
			s := stored("x", 4)
			s.Name = "a"
			m.add(s)
		},
		"one takes the name of a later one": func(m *memoryStore) {
			m.edit("id-b", func(s *servers.Server) { s.Name = "d" })
			m.edit("id-a", func(s *servers.Server) { s.Name = "b" })
		},
		"two take each other's": func(m *memoryStore) {
			m.edit("id-a", func(s *servers.Server) { s.Name = "b" })
			m.edit("id-b", func(s *servers.Server) { s.Name = "a" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			for i, name := range []string{"a", "b", "c"} {
				h.store.add(stored(name, i))
			}
			h.start(t)
			change(h.store)
			h.awaitReload(t)
			if h.clash != "" {
				t.Errorf("two are called %s", h.clash)
			}
			for _, s := range h.store.list {
				if got, err := h.Server(s.ID); err != nil || got.Name != s.Name {
					t.Errorf("%s is %q, want %q: %v", s.ID, got.Name, s.Name, err)
				}
			}
			if len(h.Servers()) != len(h.store.list) {
				t.Error(h.names())
			}
		})
	}
}

func TestAStoreThatCannotBeReadAgainChangesNothing(t *testing.T) {
	h := newHarness(t)
	h.store.add(stored("a", 1))
	h.start(t)
	h.expectEvents(t, "a CONNECTING wanted")
	h.store.setError(errors.New("no way there"))
	h.awaitReload(t)
	h.expectEvents(t, "")
	if got := h.logged(); !strings.Contains(got, `msg="changes of other replicas not read" reason="no way there"`) {
		t.Error(got)
	}
}

func TestFollowingChangesStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.start(t)
		h.stop()
		synctest.Wait()
		select {
		case h.changes <- struct{}{}:
			t.Error("it goes on")
		default:
		}
	})
}

// replicaMachine is two replicas that share a store: after any operations, both show what is stored.
type replicaMachine struct {
	t        *testing.T
	store    *memoryStore
	replicas []*harness
}

func (m *replicaMachine) replica(t *rapid.T) *harness {
	return rapid.SampledFrom(m.replicas).Draw(t, "replica")
}

func (m *replicaMachine) id(t *rapid.T) string {
	ids := []string{uuid.Nil.String()}
	for _, s := range m.store.records() {
		ids = append(ids, s.ID)
	}
	return rapid.SampledFrom(ids).Draw(t, "id")
}

func anyName() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "c", "d"}) }

func (m *replicaMachine) register(t *rapid.T) {
	d := draft(anyName().Draw(t, "name"))
	d.AutoConnect = rapid.Bool().Draw(t, "auto")
	expectAllowed(t, errorOf(m.replica(t).Register(m.t.Context(), d)))
}

func (m *replicaMachine) rename(t *rapid.T) {
	name := anyName().Draw(t, "name")
	expectAllowed(t, errorOf(m.replica(t).Change(m.t.Context(), m.id(t), servers.Change{Name: &name})))
}

func (m *replicaMachine) want(t *rapid.T) {
	expectAllowed(t, errorOf(m.replica(t).SetWanted(m.t.Context(), m.id(t), rapid.Bool().Draw(t, "wanted"))))
}

func (m *replicaMachine) remove(t *rapid.T) {
	expectAllowed(t, m.replica(t).Remove(m.t.Context(), m.id(t)))
}

func (m *replicaMachine) observe(t *rapid.T) {
	m.replica(t).Observe(m.id(t), servers.Observation{Status: servers.Connected, ToolCount: rapid.IntRange(0, 9).Draw(t, "tools")})
}

func errorOf(_ servers.Server, err error) error { return err }

// expectAllowed fails unless err is nil or one of the documented errors.
func expectAllowed(t *rapid.T, err error) {
	if err != nil && !errors.Is(err, servers.ErrUnknown) && !errors.Is(err, servers.ErrNameTaken) {
		t.Fatal(err)
	}
}

// check makes both replicas reload the records, and compares them.
func (m *replicaMachine) check(t *rapid.T) {
	for i, h := range m.replicas {
		h.awaitReload(m.t)
		got, want := "", ""
		for _, s := range h.Servers() {
			got += fmt.Sprint(s.ID, s.Name, s.Wanted, " ")
		}
		for _, s := range m.store.records() {
			want += fmt.Sprint(s.ID, s.Name, s.Wanted, " ")
		}
		if got != want || h.clash != "" {
			t.Fatalf("replica %d shows %s\nwant %s\ntwice: %q", i, got, want, h.clash)
		}
	}
}

func TestReplicasAgree(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := &replicaMachine{t: t, store: newMemoryStore()}
		for range 2 {
			h := newHarnessOn(m.store)
			h.start(t)
			defer h.stop()
			m.replicas = append(m.replicas, h)
		}
		r.Repeat(map[string]func(*rapid.T){
			"": m.check, "register": m.register, "rename": m.rename, "want": m.want, "remove": m.remove, "observe": m.observe,
		})
	})
}
