package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"mcp-aggregator/modules/servers"
)

// strangers are ids that no record has.
func strangers() []string { return []string{uuid.NewString(), "", "x", "' OR 1=1 --", "\x00"} }

func records() map[string]property {
	return merge(creating(), deleting())
}

func creating() map[string]property {
	return map[string]property{
		"a record comes back as it was created": func(t *testing.T, s servers.Store) {
			all := []servers.Server{server("full"), plain("plain")}
			create(t, s, all...)
			same(t, stored(t, s), all)
		},
		"times come back in UTC, in microseconds": func(t *testing.T, s servers.Store) {
			r := plain("a")
			r.ConnectedAt = moment(0).Add(999 * time.Nanosecond).In(time.FixedZone("east", 7200))
			create(t, s, r)
			if got := one(t, s).ConnectedAt; got != moment(0) {
				t.Errorf("got %v, want %v", got, moment(0))
			}
		},
		"a record says when it was written": func(t *testing.T, s servers.Store) {
			r := plain("a")
			r.RegisteredAt = time.Time{}
			before := time.Now().Add(-time.Millisecond)
			create(t, s, r)
			got := one(t, s)
			if got.UpdatedAt.Before(before) || got.UpdatedAt.After(time.Now()) || got.RegisteredAt != got.UpdatedAt {
				t.Errorf("registered at %v, updated at %v", got.RegisteredAt, got.UpdatedAt)
			}
		},
		"records come in the order of their registration": func(t *testing.T, s servers.Store) {
			for _, name := range []string{"c", "a", "b"} {
				create(t, s, plain(name))
			}
			update(t, s, stored(t, s)[0].ID, func(r *servers.Server) { r.Name = "z" })
			if got := names(stored(t, s)); got != "z a b" {
				t.Errorf("got %s", got)
			}
		},
		"names differ in case": func(t *testing.T, s servers.Store) {
			create(t, s, plain("Git"), plain("git"))
		},
		"a name is taken once": func(t *testing.T, s servers.Store) {
			create(t, s, plain("a"))
			if err := s.Create(t.Context(), server("a")); !errors.Is(err, servers.ErrNameTaken) {
				t.Errorf("got %v", err)
			}
			same(t, one(t, s).Transport, servers.HTTP)
		},
		"an id is given once": func(t *testing.T, s servers.Store) {
			first, second := plain("a"), plain("b")
			second.ID = first.ID
			create(t, s, first)
			if err := s.Create(t.Context(), second); err == nil || errors.Is(err, servers.ErrNameTaken) {
				t.Errorf("got %v", err)
			}
			same(t, one(t, s), first)
		},
		"an id is a UUID": func(t *testing.T, s servers.Store) {
			for _, id := range []string{"", "x", "2C1B5B5E-6E8F-4E0C-9A39-5B8D0D1E0A11", "2c1b5b5e06e8f04e0c09a3905b8d0d1e0a11"} {
				r := plain("a")
				r.ID = id
				if err := s.Create(t.Context(), r); err == nil {
					t.Errorf("%q was taken for one", id)
				}
			}
		},
		"what no text can hold is replaced": func(t *testing.T, s servers.Store) {
			r := plain("a")
			r.Description, r.Error = "a\x00b\xffc", "\xff\xfe"
			create(t, s, r)
			got := one(t, s)
			same(t, got.Description+" "+got.Error, "a\uFFFDb\uFFFDc \uFFFD")
		},
		"a context that has ended writes nothing": func(t *testing.T, s servers.Store) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.Create(ctx, plain("a")); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			create(t, s, plain("b"))
			same(t, one(t, s).Name, "b")
		},
	}
}

func deleting() map[string]property {
	return map[string]property{
		"deletion takes the tools and the history, of that server alone": func(t *testing.T, s servers.Store) {
			for _, name := range []string{"a", "b"} {
				r := plain(name)
				create(t, s, r)
				shelve(t, s, r.ID, tool("x"), tool("y"))
				update(t, s, r.ID, func(r *servers.Server) { r.Status = servers.Connected }, servers.Event{Kind: servers.EventConnected})
			}
			gone := stored(t, s)[0].ID
			if err := s.Delete(t.Context(), gone); err != nil {
				t.Fatal(err)
			}
			kept := one(t, s)
			same(t, kept.Name, "b")
			same(t, namespaced(t, s), "b.x b.y")
			same(t, len(history(t, s, gone, 9)), 0)
			same(t, len(history(t, s, kept.ID, 9)), 1)
		},
		"a name is free after deletion": func(t *testing.T, s servers.Store) {
			first, second := plain("a"), plain("a")
			create(t, s, first)
			if err := s.Delete(t.Context(), first.ID); err != nil {
				t.Fatal(err)
			}
			create(t, s, second)
			same(t, one(t, s), second)
		},
		"what is deleted is unknown": func(t *testing.T, s servers.Store) {
			r := plain("a")
			create(t, s, r)
			if err := s.Delete(t.Context(), r.ID); err != nil {
				t.Fatal(err)
			}
			if err := s.Delete(t.Context(), r.ID); !errors.Is(err, servers.ErrUnknown) {
				t.Errorf("got %v", err)
			}
		},
		"an id that no record has is unknown": func(t *testing.T, s servers.Store) {
			create(t, s, plain("a"))
			for _, id := range strangers() {
				_, err := s.Update(t.Context(), id, func(*servers.Server) error { panic("there is nothing to change") })
				for what, err := range map[string]error{
					"update": err, "delete": s.Delete(t.Context(), id), "replace": s.ReplaceTools(t.Context(), id, []servers.Tool{tool("x")}),
				} {
					if !errors.Is(err, servers.ErrUnknown) {
						t.Errorf("%s %q: %v", what, id, err)
					}
				}
				same(t, len(history(t, s, id, 9)), 0)
			}
			same(t, len(stored(t, s)), 1)
		},
	}
}
