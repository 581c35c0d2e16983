package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"mcp-aggregator/modules/servers"
)

// unknownIDs returns ids that no record has.
func unknownIDs() []string { return []string{uuid.NewString(), "", "x", "' OR 1=1 --", "\x00"} }

func records() contract[servers.Store] {
	return merge(creating(), deleting())
}

func creating() contract[servers.Store] {
	return contract[servers.Store]{
		"a record is read back as it was created": func(t *testing.T, s servers.Store) {
			all := []servers.Server{fullServer("full"), minimalServer("plain")}
			create(t, s, all...)
			equal(t, storedServers(t, s), all)
		},
		"times are read back in UTC, in microseconds": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			r.ConnectedAt = timeAt(0).Add(999 * time.Nanosecond).In(time.FixedZone("east", 7200))
			create(t, s, r)
			if got := onlyServer(t, s).ConnectedAt; got != timeAt(0) {
				t.Errorf("got %v, want %v", got, timeAt(0))
			}
		},
		"a record says when it was written": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			r.RegisteredAt = time.Time{}
			before := time.Now().Add(-time.Millisecond)
			create(t, s, r)
			got := onlyServer(t, s)
			if got.UpdatedAt.Before(before) || got.UpdatedAt.After(time.Now()) || got.RegisteredAt != got.UpdatedAt {
				t.Errorf("registered at %v, updated at %v", got.RegisteredAt, got.UpdatedAt)
			}
		},
		"records come in the order of their registration": func(t *testing.T, s servers.Store) {
			for _, name := range []string{"c", "a", "b"} {
				create(t, s, minimalServer(name))
			}
			update(t, s, storedServers(t, s)[0].ID, func(r *servers.Server) { r.Name = "z" })
			if got := names(storedServers(t, s)); got != "z a b" {
				t.Errorf("got %s", got)
			}
		},
		"names differ in case": func(t *testing.T, s servers.Store) {
			create(t, s, minimalServer("Git"), minimalServer("git"))
		},
		"a name is unique": func(t *testing.T, s servers.Store) {
			create(t, s, minimalServer("a"))
			if err := s.Create(t.Context(), fullServer("a")); !errors.Is(err, servers.ErrNameTaken) {
				t.Errorf("got %v", err)
			}
			equal(t, onlyServer(t, s).Transport, servers.HTTP)
		},
		"an id is unique": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			second.ID = first.ID
			create(t, s, first)
			if err := s.Create(t.Context(), second); err == nil || errors.Is(err, servers.ErrNameTaken) {
				t.Errorf("got %v", err)
			}
			equal(t, onlyServer(t, s), first)
		},
		"an id is a UUID": func(t *testing.T, s servers.Store) {
			for _, id := range []string{"", "x", "2C1B5B5E-6E8F-4E0C-9A39-5B8D0D1E0A11", "2c1b5b5e06e8f04e0c09a3905b8d0d1e0a11"} {
				r := minimalServer("a")
				r.ID = id
				if err := s.Create(t.Context(), r); err == nil {
					t.Errorf("%q was taken for one", id)
				}
			}
		},
		"invalid characters are replaced": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			r.Description, r.Error = "a\x00b\xffc", "\xff\xfe"
			create(t, s, r)
			got := onlyServer(t, s)
			equal(t, got.Description+" "+got.Error, "a\uFFFDb\uFFFDc \uFFFD")
		},
		"a context that has ended writes nothing": func(t *testing.T, s servers.Store) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.Create(ctx, minimalServer("a")); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			create(t, s, minimalServer("b"))
			equal(t, onlyServer(t, s).Name, "b")
		},
	}
}

func deleting() contract[servers.Store] {
	return contract[servers.Store]{
		"deletion takes the tools and the history, of that server alone": func(t *testing.T, s servers.Store) {
			for _, name := range []string{"a", "b"} {
				r := minimalServer(name)
				create(t, s, r)
				replaceTools(t, s, r.ID, tool("x"), tool("y"))
				update(t, s, r.ID, func(r *servers.Server) { r.Status = servers.Connected }, servers.Event{Kind: servers.EventConnected})
			}
			gone := storedServers(t, s)[0].ID
			if err := s.Delete(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			kept := onlyServer(t, s)
			equal(t, kept.Name, "b")
			equal(t, namespaced(t, s), "b.x b.y")
			equal(t, len(history(t, s, gone, 9)), 0)
			equal(t, len(history(t, s, kept.ID, 9)), 1)
		},
		"a name is free after deletion": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("a")
			create(t, s, first)
			if err := s.Delete(t.Context(), first.ID); err != nil {
				t.Fatal(err)
			}
			create(t, s, second)
			equal(t, onlyServer(t, s), second)
		},
		"what is deleted is unknown": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			if err := s.Delete(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
			if err := s.Delete(t.Context(), r.ID); !errors.Is(err, servers.ErrUnknown) {
				t.Errorf("got %v", err)
			}
		},
		"an id that no record has is unknown": func(t *testing.T, s servers.Store) {
			create(t, s, minimalServer("a"))
			for _, id := range unknownIDs() {
				_, err := s.Update(t.Context(), id, func(*servers.Server) error { panic("there is nothing to change") })
				for what, err := range map[string]error{
					"update": err, "delete": s.Delete(t.Context(), id), "replace": s.ReplaceTools(t.Context(), id, []servers.Tool{tool("x")}),
				} {
					if !errors.Is(err, servers.ErrUnknown) {
						t.Errorf("%s %q: %v", what, id, err)
					}
				}
				equal(t, len(history(t, s, id, 9)), 0)
			}
			equal(t, len(storedServers(t, s)), 1)
		},
	}
}
