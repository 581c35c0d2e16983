package servers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/servers"
)

func TestAServerIsRegistered(t *testing.T) {
	h := newHarness(t)
	h.start(t)
	d := draft("a")
	d.Description, d.HealthCheckURL = "d", "http://a/health"
	s, err := h.Register(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if s.ID == "" || s.Name != "a" || s.Description != "d" || s.HealthCheckURL != "http://a/health" || s.Connection.Command != "run" ||
		!s.AutoConnect || !s.Wanted || s.Status != servers.Connecting || s.RegisteredAt.IsZero() || s.RegisteredAt != s.UpdatedAt {
		t.Errorf("%+v", s)
	}
	if got, err := h.Server(s.ID); err != nil || got.Name != "a" {
		t.Error(got, err)
	}
	if got, err := h.Named("a"); err != nil || got.ID != s.ID {
		t.Error(got, err)
	}
	h.expectEvents(t, "a CONNECTING wanted")
	d = draft("b")
	d.AutoConnect = false
	if s, err := h.Register(t.Context(), d); err != nil || s.Wanted || s.Status != servers.Disconnected {
		t.Errorf("%+v, %v", s, err)
	}
	h.expectEvents(t, "b DISCONNECTED")
	if got := h.names(); got != "a b" {
		t.Error(got)
	}
}

func TestWhatCannotBeStoredIsNotShown(t *testing.T) {
	h := newHarness(t)
	h.start(t)
	a := h.register(t, "a")
	h.register(t, "b")
	h.expectEvents(t, "a CONNECTING wanted, b CONNECTING wanted")
	taken, bad := "b", "a.b"
	for name, test := range map[string]struct {
		do   func() error
		want string
	}{
		"a name that is taken":                 {func() error { _, err := h.Register(t.Context(), draft("a")); return err }, "another server has that name"},
		"a draft with problems":                {func() error { _, err := h.Register(t.Context(), servers.Draft{Name: "c"}); return err }, "/transport_type: is missing: use STDIO, SSE or HTTP"},
		"a new name that is taken":             {func() error { _, err := h.Change(t.Context(), a, servers.Change{Name: &taken}); return err }, "another server has that name"},
		"a change with problems":               {func() error { _, err := h.Change(t.Context(), a, servers.Change{Name: &bad}); return err }, "/name: may have letters, digits, _ and - only, so that server.tool has one reading"},
		"a change of what there is not":        {func() error { _, err := h.Change(t.Context(), "x", servers.Change{}); return err }, "no server with that id"},
		"a desired state of what there is not": {func() error { _, err := h.SetWanted(t.Context(), "x", true); return err }, "no server with that id"},
		"a removal of what there is not":       {func() error { return h.Remove(t.Context(), "x") }, "no server with that id"},
		"a registration that is given up":      {func() error { return register(cancelled(), h, "c") }, "context canceled"},
		"a registration, when nothing goes":    {func() error { h.store.setError(errors.New("disk full")); return register(t.Context(), h, "c") }, "the database: disk full"},
		"a removal, when nothing goes":         {func() error { h.store.setError(errors.New("disk full")); return h.Remove(t.Context(), a) }, "the database: disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			defer h.store.setError(nil)
			if err := test.do(); err == nil || err.Error() != test.want {
				t.Errorf("%v", err)
			}
			h.expectEvents(t, "")
			if got := h.names(); got != "a b" {
				t.Error(got)
			}
		})
	}
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func register(ctx context.Context, h *harness, name string) error {
	_, err := h.Register(ctx, draft(name))
	return err
}

func TestAChangeKeepsTheObservedStatus(t *testing.T) {
	h := newHarness(t)
	h.start(t)
	id := h.register(t, "a")
	h.Observe(id, servers.Observation{Status: servers.Connected, ToolCount: 3})
	name, description, transport, auto, health := "b", "d", servers.HTTP, false, "http://b"
	connection := servers.Connection{URL: "http://b"}
	s, err := h.Change(t.Context(), id, servers.Change{
		Name: &name, Description: &description, Transport: &transport, Connection: &connection, AutoConnect: &auto, HealthCheckURL: &health,
	})
	if err != nil || s.Name != "b" || s.Description != "d" || s.Transport != servers.HTTP || s.Connection.URL != "http://b" || s.Connection.Command != "" ||
		s.AutoConnect || s.HealthCheckURL != health || s.Status != servers.Connected || s.ToolCount != 3 || !s.Wanted || s.ConnectedAt.IsZero() {
		t.Errorf("%+v, %v", s, err)
	}
	h.expectEvents(t, "a CONNECTING wanted, a CONNECTED wanted 3, b CONNECTED wanted 3")
	if _, err := h.Named("a"); !errors.Is(err, servers.ErrUnknown) {
		t.Error(err)
	}
}

func TestARemovedServerIsGone(t *testing.T) {
	h := newHarness(t)
	h.start(t)
	id := h.register(t, "a")
	h.store.deleteRecord(id) // another replica was faster
	if err := h.Remove(t.Context(), id); err != nil {
		t.Error(err)
	}
	h.expectEvents(t, "a CONNECTING wanted, -a")
	h.Observe(id, servers.Observation{Status: servers.Connected})
	h.expectEvents(t, "")
	if _, err := h.Server(id); !errors.Is(err, servers.ErrUnknown) {
		t.Error(err)
	}
}

func TestTheDesiredStateOutlivesTheService(t *testing.T) {
	for name, test := range map[string]struct {
		auto   bool
		wanted *bool // by hand
		after  string
	}{
		"connected by itself":                      {true, nil, "a CONNECTING wanted"},
		"disconnected by hand":                     {true, new(false), "a DISCONNECTED"},
		"connected by hand":                        {true, new(true), "a CONNECTING wanted"},
		"not connected by itself":                  {false, nil, "a DISCONNECTED"},
		"not connected by itself, but by hand":     {false, new(true), "a DISCONNECTED"},
		"not connected by itself, and not by hand": {false, new(false), "a DISCONNECTED"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.start(t)
			d := draft("a")
			d.AutoConnect = test.auto
			s, err := h.Register(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			if test.wanted != nil {
				if s, err := h.SetWanted(t.Context(), s.ID, *test.wanted); err != nil || s.Wanted != *test.wanted {
					t.Errorf("%+v, %v", s, err)
				}
			}
			h.Observe(s.ID, servers.Observation{Status: servers.Degraded, ToolCount: 3, Error: "e"})
			again := h.restart(t)
			again.expectEvents(t, test.after)
			if got := again.Servers()[0]; got.Error != "" || got.ConnectedAt.IsZero() {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAServerThatWasNotConnectedOnStartStaysSo(t *testing.T) {
	h := newHarness(t)
	h.start(t)
	d := draft("a")
	d.AutoConnect = false
	s, err := h.Register(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.SetWanted(t.Context(), s.ID, true); err != nil {
		t.Fatal(err)
	}
	again := h.restart(t)
	again.expectEvents(t, "a DISCONNECTED")
	description := "d"
	if got, err := again.Change(t.Context(), s.ID, servers.Change{Description: &description}); err != nil || got.Wanted {
		t.Errorf("%+v, %v", got, err)
	}
	again.expectEvents(t, "a DISCONNECTED")
	again.awaitReload(t)
	again.expectEvents(t, "")
	if got, err := again.SetWanted(t.Context(), s.ID, true); err != nil || !got.Wanted {
		t.Errorf("%+v, %v", got, err)
	}
	again.awaitReload(t)
	again.expectEvents(t, "a DISCONNECTED wanted")
}

func TestSettingAutoConnectConnectsTheServer(t *testing.T) {
	for name, wanted := range map[string]func(h *harness, id string) *harness{
		"that nobody has wanted": func(h *harness, _ string) *harness { return h },
		"that was wanted before the service started": func(h *harness, id string) *harness {
			if _, err := h.SetWanted(t.Context(), id, true); err != nil {
				t.Fatal(err)
			}
			return h.restart(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			h.start(t)
			d := draft("a")
			d.AutoConnect = false
			s, err := h.Register(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			h = wanted(h, s.ID)
			if now, _ := h.Server(s.ID); now.Wanted {
				t.Error("it is wanted")
			}
			auto := true
			if now, err := h.Change(t.Context(), s.ID, servers.Change{AutoConnect: &auto}); err != nil || !now.Wanted {
				t.Errorf("%+v, %v", now, err)
			}
			if now, _ := h.restart(t).Server(s.ID); !now.Wanted {
				t.Error("after another start it is not wanted")
			}
		})
	}
}

func TestAnotherReplicaConnectsWhatWasNotConnectedOnStart(t *testing.T) {
	h := newHarness(t)
	h.start(t)
	d := draft("a")
	d.AutoConnect = false
	s, _ := h.Register(t.Context(), d)
	_, _ = h.SetWanted(t.Context(), s.ID, true)
	again := h.restart(t)
	again.store.edit(s.ID, func(s *servers.Server) { s.Wanted = false })
	again.awaitReload(t)
	again.store.edit(s.ID, func(s *servers.Server) { s.Wanted = true })
	again.awaitReload(t)
	again.expectEvents(t, "a DISCONNECTED, a DISCONNECTED wanted")
}

func TestTheServiceDoesNotStartWithoutItsRecords(t *testing.T) {
	h := newHarness(t)
	h.store.setError(errors.New("disk gone"))
	if err := h.Start(t.Context()); err == nil || err.Error() != "servers: disk gone" {
		t.Error(err)
	}
}

func TestAnObservationIsShownAndStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.start(t)
		id := h.register(t, "a")
		time.Sleep(time.Minute)
		event := servers.Event{Server: id, Kind: servers.EventConnected, Details: "d"}
		h.Observe(id, servers.Observation{Status: servers.Connected, ToolCount: 2}, event)
		s, _ := h.Server(id)
		if since := s.ConnectedAt.Sub(s.RegisteredAt); since != time.Minute || s.UpdatedAt != s.ConnectedAt {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Minute)
		h.Observe(id, servers.Observation{Status: servers.Degraded, ToolCount: 2, Error: "e"})
		h.Observe(id, servers.Observation{Status: servers.Errored, Error: "f"})
		if got, _ := h.Server(id); got.ConnectedAt != s.ConnectedAt || got.UpdatedAt.Sub(s.UpdatedAt) != time.Minute {
			t.Errorf("%+v", got)
		}
		h.expectEvents(t, "a CONNECTING wanted, a CONNECTED wanted 2, a DEGRADED wanted 2 e, a ERROR wanted f")
		synctest.Wait()
		if got := h.store.record(id); got.Status != servers.Errored || got.Error != "f" || got.ConnectedAt != s.ConnectedAt || !slices.Equal(h.store.events, []servers.Event{event}) {
			t.Errorf("%+v %v", got, h.store.events)
		}
		h.Observe(id, servers.Observation{Status: servers.Connected, Elsewhere: true}, event)
		h.expectEvents(t, "a CONNECTED wanted")
		synctest.Wait()
		if got := h.store.record(id); got.Status != servers.Errored || len(h.store.events) != 1 {
			t.Errorf("%+v %v", got, h.store.events)
		}
	})
}

func TestTheWaitForAHangingStoreIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.start(t)
		id := h.register(t, "a")
		h.store.setStuck(true)
		_, changed := h.Change(t.Context(), id, servers.Change{})
		for _, err := range []error{register(t.Context(), h, "b"), changed, h.Remove(t.Context(), id)} {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		}
		h.store.setStuck(false)
	})
}

func TestAChangeThatIsNotStoredConnectsNothing(t *testing.T) {
	for name, change := range map[string]func(h *harness, id string) error{
		"to be connected at each start": func(h *harness, id string) error {
			auto := true
			_, err := h.Change(t.Context(), id, servers.Change{AutoConnect: &auto})
			return err
		},
		"to be connected": func(h *harness, id string) error { _, err := h.SetWanted(t.Context(), id, true); return err },
	} {
		t.Run(name, func(t *testing.T) {
			unstarted := stored("a", 1)
			unstarted.AutoConnect = false
			h := newHarness(t)
			h.store.add(unstarted)
			h.start(t)
			h.store.setRollback(errors.New("disk full"))
			if err := change(h, unstarted.ID); err == nil {
				t.Error("it was stored")
			}
			h.store.setRollback(nil)
			h.awaitReload(t)
			h.expectEvents(t, "a DISCONNECTED")
		})
	}
}

func TestWatchersAreCalledInTheOrderOfTheChanges(t *testing.T) {
	h := newHarness(t)
	h.start(t)
	id := h.register(t, "a")
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			for j := range 25 {
				h.Observe(id, servers.Observation{Status: servers.Connected, ToolCount: 100*i + j})
				description := fmt.Sprint(i, j)
				if _, err := h.Change(t.Context(), id, servers.Change{Description: &description}); err != nil {
					t.Error(err)
				}
				_, _ = h.Named("a")
				_ = h.Servers()
			}
		})
	}
	work.Wait()
	if got, _ := h.Server(id); h.seen[len(h.seen)-1] != got.Description || h.store.record(id).Description != got.Description || len(h.seen) != 201 {
		t.Errorf("%d told, the last one: %q, and shown is %q", len(h.seen), h.seen[len(h.seen)-1], got.Description)
	}
}

func TestSessionsAreKeptForWhatIsTheSame(t *testing.T) {
	s := servers.Server{Name: "a", Transport: servers.Stdio, Connection: servers.Connection{Command: "run", Args: []string{}, Env: map[string]string{}}}
	for name, test := range map[string]struct {
		change func(*servers.Server)
		same   bool
	}{
		"another name":           {func(s *servers.Server) { s.Name, s.Description, s.Status = "b", "d", servers.Errored }, true},
		"nothing, and not empty": {func(s *servers.Server) { s.Connection.Args, s.Connection.Env = nil, nil }, true},
		"another transport":      {func(s *servers.Server) { s.Transport = servers.HTTP }, false},
		"another program":        {func(s *servers.Server) { s.Connection.Command = "x" }, false},
		"other arguments":        {func(s *servers.Server) { s.Connection.Args = []string{""} }, false},
		"another variable":       {func(s *servers.Server) { s.Connection.Env = map[string]string{"A": ""} }, false},
		"another folder":         {func(s *servers.Server) { s.Connection.Cwd = "/" }, false},
		"another address":        {func(s *servers.Server) { s.Connection.URL = "http://a" }, false},
		"another header":         {func(s *servers.Server) { s.Connection.Headers = map[string]string{"A": ""} }, false},
	} {
		other := s
		test.change(&other)
		if s.SameTarget(other) != test.same || other.SameTarget(s) != test.same {
			t.Errorf("%s: %t", name, !test.same)
		}
	}
}
