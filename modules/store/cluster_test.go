package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
	"mcp-aggregator/testutil/pgtest"
)

func TestAFileHasNoReplicas(t *testing.T) {
	s := open(t, newFile(t))
	if s.Changes() != nil || s.ProfileChanges() != nil {
		t.Error("a single node receives no changes")
	}
	for range 2 {
		claim, granted, err := s.Claim(t.Context(), uuid.NewString())
		if !granted || err != nil {
			t.Fatalf("got %t, %v", granted, err)
		}
		claim.Release()
		if claim.Lost() != nil {
			t.Error("the claim of a single node cannot be lost")
		}
	}
}

// awaitSignal fails the test unless the channel receives within ten seconds.
func awaitSignal(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: nothing came", what)
	}
}

func TestReplicasAreNotifiedOfEachChangeOfOthers(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	r := servers.Server{ID: uuid.NewString(), Name: "a", Transport: servers.HTTP, Status: servers.Connected}
	for _, step := range []struct {
		what string
		do   func(context.Context) error
	}{
		{"a creation", func(ctx context.Context) error { return here.Create(ctx, r) }},
		{"an update", func(ctx context.Context) error { return rename(ctx, here, r.ID, "b") }},
		{"a list", func(ctx context.Context) error {
			return here.ReplaceTools(ctx, r.ID, []servers.Tool{{Name: "x", Definition: []byte("{}")}})
		}},
		{"a deletion", func(ctx context.Context) error { return here.Delete(ctx, r.ID) }},
	} {
		begun := time.Now()
		if err := step.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		awaitSignal(t, there.Changes(), step.what)
		t.Logf("%s was signaled after %v", step.what, time.Since(begun))
	}
	select {
	case <-here.Changes():
		t.Error("a replica is notified of its own changes")
	case <-time.After(100 * time.Millisecond):
	}
}

func TestReplicasAreNotifiedOfEachChangeOfProfiles(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	setMode := func(mode profiles.Mode) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := here.UpdateProfile(ctx, "a", func(p *profiles.Profile) error { p.Mode = mode; return nil })
			return err
		}
	}
	for _, step := range []struct {
		what     string
		do       func(context.Context) error
		notifies bool
	}{
		{"a creation", func(ctx context.Context) error {
			return here.CreateProfile(ctx, profiles.Profile{Name: "a", Mode: profiles.Full, CreatedAt: time.Now(), UpdatedAt: time.Now()})
		}, true},
		{"an update", setMode(profiles.Lean), true},
		{"an update to the same", setMode(profiles.Lean), false},
		{"a deletion", func(ctx context.Context) error { return here.DeleteProfile(ctx, "a") }, true},
	} {
		if err := step.do(t.Context()); err != nil {
			t.Fatal(err)
		}
		// What is notified of later comes later.
		register(t, here)
		awaitSignal(t, there.Changes(), "a registration")
		select {
		case <-there.ProfileChanges():
			if !step.notifies {
				t.Errorf("%s is announced", step.what)
			}
		default:
			if step.notifies {
				t.Errorf("%s is not announced", step.what)
			}
		}
	}
	select {
	case <-here.ProfileChanges():
		t.Error("a replica is notified of its own changes")
	case <-here.Changes():
		t.Error("a replica is notified of its own changes")
	default:
	}
	terminateConns(t, url, "mcp-aggregator listener")
	awaitSignal(t, there.ProfileChanges(), "a loss")
}

func rename(ctx context.Context, s *store.Store, id, name string) error {
	_, err := s.Update(ctx, id, func(r *servers.Server) error { r.Name = name; return nil })
	return err
}

func TestWhatIsNoChangeIsNotAnnounced(t *testing.T) {
	url := postgres.Database(t)
	s := open(t, url)
	first, second := register(t, s), register(t, s)
	tools := []servers.Tool{{Name: "x", Definition: []byte("{}")}}
	if err := s.ReplaceTools(t.Context(), first, tools); err != nil {
		t.Fatal(err)
	}
	listener := listen(t, url)
	for what, do := range map[string]func(context.Context) error{
		"an update to the same":   func(ctx context.Context) error { return rename(ctx, s, first, "n"+first) },
		"an update that fails":    func(ctx context.Context) error { rename(ctx, s, first, "n"+second); return nil }, //nolint:errcheck // it fails
		"tools that are the same": func(ctx context.Context) error { return s.ReplaceTools(ctx, first, tools) },
		"an event": func(ctx context.Context) error {
			_, err := s.Update(ctx, first, func(*servers.Server) error { return nil }, servers.Event{Kind: servers.EventError})
			return err
		},
		"an unknown server": func(ctx context.Context) error { s.Delete(ctx, uuid.NewString()); return nil }, //nolint:errcheck // it fails
	} {
		if err := do(t.Context()); err != nil {
			t.Fatal(err)
		}
		pgtest.Execute(t, url, "NOTIFY mcp_aggregator, 'the end'")
		if n, err := listener.WaitForNotification(t.Context()); err != nil || n.Payload != "the end" {
			t.Errorf("%s: %v, %v", what, n, err)
		}
	}
}

func listen(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) }) //nolint:errcheck // the test is over
	if _, err := conn.Exec(t.Context(), "LISTEN mcp_aggregator"); err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestALostListenerSignalsAChange(t *testing.T) {
	url := postgres.Database(t)
	here, there := open(t, url), open(t, url)
	for range 2 {
		terminateConns(t, url, "mcp-aggregator listener")
		awaitSignal(t, there.Changes(), "a loss")
		awaitSignal(t, here.Changes(), "a loss")
	}
	register(t, here)
	awaitSignal(t, there.Changes(), "a change afterwards")
}

// terminateConns terminates the connections with that name.
func terminateConns(t *testing.T, url, name string) {
	t.Helper()
	pgtest.Execute(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '"+name+"'")
}
