package storetest

import (
	"errors"
	"testing"
	"time"

	"mcp-aggregator/modules/servers"
)

func updates() contract[servers.Store] {
	return merge(changing(), renaming())
}

func changing() contract[servers.Store] {
	return contract[servers.Store]{
		"everything can be changed but what is the store's": func(t *testing.T, s servers.Store) {
			before, want := minimalServer("a"), fullServer("b")
			create(t, s, before)
			after := update(t, s, before.ID, func(r *servers.Server) {
				equal(t, *r, before)
				*r = want
				r.UpdatedAt = timeAt(9)
			})
			want.ID, want.RegisteredAt = before.ID, before.RegisteredAt
			equal(t, onlyServer(t, s), want)
			if got := onlyServer(t, s); got.UpdatedAt != after.UpdatedAt || got.UpdatedAt.Equal(timeAt(9)) {
				t.Errorf("updated at %v; was told %v", got.UpdatedAt, after.UpdatedAt)
			}
		},
		"what is returned is what is stored": func(t *testing.T, s servers.Store) {
			r := fullServer("a")
			create(t, s, r)
			after := update(t, s, r.ID, func(r *servers.Server) {
				r.ConnectedAt = time.Now()
				r.Error = "a\x00\xff"
				r.Connection = servers.Connection{Args: []string{}, Env: map[string]string{}}
			})
			if got := onlyServer(t, s); got.UpdatedAt != after.UpdatedAt {
				t.Errorf("updated at %v, was told %v", got.UpdatedAt, after.UpdatedAt)
			}
			equal(t, onlyServer(t, s), after)
		},
		"a record that stays as it was is not written": func(t *testing.T, s servers.Store) {
			r := fullServer("a")
			create(t, s, r)
			written := onlyServer(t, s)
			after := update(t, s, r.ID, func(r *servers.Server) {
				r.UpdatedAt = timeAt(9)
				r.ConnectedAt = r.ConnectedAt.Add(time.Nanosecond) // below the stored precision
			})
			if after.UpdatedAt != written.UpdatedAt || onlyServer(t, s).UpdatedAt != written.UpdatedAt {
				t.Errorf("updated at %v, then %v", written.UpdatedAt, after.UpdatedAt)
			}
		},
		"events are kept though the record stays": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			update(t, s, r.ID, func(*servers.Server) {}, servers.Event{Kind: servers.EventError, At: timeAt(1)})
			equal(t, history(t, s, r.ID, 9), []servers.Event{{Server: r.ID, Kind: servers.EventError, At: timeAt(1)}})
		},
		"a change within a map is a change": func(t *testing.T, s servers.Store) {
			r := fullServer("a")
			create(t, s, r)
			update(t, s, r.ID, func(r *servers.Server) { r.Connection.Env["TOKEN"] = "another" })
			equal(t, onlyServer(t, s).Connection.Env["TOKEN"], "another")
		},
		"an error of the change is returned, and nothing is written": func(t *testing.T, s servers.Store) {
			r, refused := minimalServer("a"), errors.New("refused")
			create(t, s, r)
			_, err := s.Update(t.Context(), r.ID, func(r *servers.Server) error { r.Name = "b"; return refused }, servers.Event{Kind: servers.EventError})
			if !errors.Is(err, refused) {
				t.Errorf("got %v", err)
			}
			equal(t, onlyServer(t, s), r)
			equal(t, len(history(t, s, r.ID, 9)), 0)
		},
		"a change that panics leaves the store in order": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			func() {
				defer func() { equal(t, recover(), "now") }()
				update(t, s, r.ID, func(*servers.Server) { panic("now") })
			}()
			update(t, s, r.ID, func(r *servers.Server) { r.Name = "b" })
			equal(t, onlyServer(t, s).Name, "b")
		},
	}
}

func renaming() contract[servers.Store] {
	return contract[servers.Store]{
		"a new name renames the tools": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			create(t, s, first, second)
			replaceTools(t, s, first.ID, tool("x"), tool("a.y"), tool(OddText))
			replaceTools(t, s, second.ID, tool("x"))
			update(t, s, first.ID, func(r *servers.Server) { r.Name = "c" })
			equal(t, namespaced(t, s), "c.x c.a.y c."+OddText+" b.x")
		},
		"a taken name changes nothing": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			create(t, s, first, second)
			replaceTools(t, s, first.ID, tool("x"))
			_, err := s.Update(t.Context(), first.ID, func(r *servers.Server) error { r.Name = "b"; return nil }, servers.Event{Kind: servers.EventError})
			if !errors.Is(err, servers.ErrNameTaken) {
				t.Errorf("got %v", err)
			}
			equal(t, storedServers(t, s), []servers.Server{first, second})
			equal(t, namespaced(t, s), "a.x")
			equal(t, len(history(t, s, first.ID, 9)), 0)
		},
		"an old name is free": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			update(t, s, r.ID, func(r *servers.Server) { r.Name = "b" })
			create(t, s, minimalServer("a"))
			equal(t, names(storedServers(t, s)), "b a")
		},
	}
}
