package profiles_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/servers"
)

func TestAProfileIsCreatedChangedAndRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := start(t, newMemoryStore())
		defer stop()
		h.create(t, "b")
		made := h.create(t, "a")
		if made.CreatedAt.IsZero() || made.CreatedAt != made.UpdatedAt || h.names() != "a b" {
			t.Errorf("%+v, %s", made, h.names())
		}
		h.expectSignal(t, true)
		time.Sleep(time.Second)
		changed, err := h.Change(t.Context(), "a", profiles.Change{Description: new("d"), Servers: &[]string{"s"}, Allow: &[]string{"s.*"}, Deny: &[]string{"s.x"}, Pin: &[]string{"s.y"}, Mode: new(profiles.Lean)})
		if err != nil || changed.Description != "d" || changed.Servers[0]+changed.Allow[0]+changed.Deny[0]+changed.Pin[0] != "ss.*s.xs.y" || changed.Mode != profiles.Lean ||
			changed.CreatedAt != made.CreatedAt || changed.UpdatedAt != made.UpdatedAt.Add(time.Second) {
			t.Errorf("%+v, %v", changed, err)
		}
		h.expectSignal(t, true)
		if got, found := h.Profile("a"); !found || !got.Equal(changed) || got.UpdatedAt != changed.UpdatedAt {
			t.Errorf("%+v, %t", got, found)
		}
		time.Sleep(time.Second)
		if same, err := h.Change(t.Context(), "a", profiles.Change{Description: new("d")}); err != nil || same.UpdatedAt != changed.UpdatedAt {
			t.Errorf("%+v, %v", same, err)
		}
		h.expectSignal(t, false)
		if err := h.Remove(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		h.expectSignal(t, true)
		if _, found := h.Profile("a"); found || h.names() != "b" {
			t.Error(h.names())
		}
	})
}

func TestWhatCannotBeStoredIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := start(t, newMemoryStore())
		defer stop()
		h.create(t, "a")
		h.expectSignal(t, true)
		create := func(p profiles.Profile) func(context.Context) error {
			return func(ctx context.Context) error { _, err := h.Create(ctx, p); return err }
		}
		change := func(name string, c profiles.Change) func(context.Context) error {
			return func(ctx context.Context) error { _, err := h.Change(ctx, name, c); return err }
		}
		remove := func(name string) func(context.Context) error {
			return func(ctx context.Context) error { return h.Remove(ctx, name) }
		}
		for name, test := range map[string]struct {
			do    func(context.Context) error
			fails error // of the store
			stuck bool
			want  string
		}{
			"a name that is taken":           {create(profile("a")), nil, false, "another profile has that name"},
			"a profile with problems":        {create(profile("a.b")), nil, false, "/name: may have letters, digits, _ and - only, since it is part of an address"},
			"a change with problems":         {change("a", profiles.Change{Deny: &[]string{"["}}), nil, false, `/deny/0: is malformed; close each [ with a ], and write a \ twice`},
			"a change of an unknown profile": {change("x", profiles.Change{}), nil, false, "no profile with that name"},
			"a removal of an unknown one":    {remove("x"), nil, false, "no profile with that name"},
			"a creation on a full disk":      {create(profile("b")), errors.New("disk full"), false, "the database: disk full"},
			"a change on a full disk":        {change("a", profiles.Change{Mode: new(profiles.Lean)}), errors.New("disk full"), false, "the database: disk full"},
			"a removal on a full disk":       {remove("a"), errors.New("disk full"), false, "the database: disk full"},
			"a creation while nothing goes":  {create(profile("b")), nil, true, "the database: context deadline exceeded"},
		} {
			h.store.set(test.fails, test.stuck)
			if err := test.do(t.Context()); err == nil || err.Error() != test.want {
				t.Errorf("%s: %v", name, err)
			}
			h.expectSignal(t, false)
			if p, _ := h.Profile("a"); h.names() != "a" || p.Mode != profiles.Full {
				t.Errorf("%s: shows %s", name, h.names())
			}
		}
	})
}

func TestAStoreThatHangsHoldsNobodyUpForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := start(t, newMemoryStore())
		defer stop()
		h.create(t, "a")
		h.store.set(nil, true)
		begun := time.Now()
		var group sync.WaitGroup
		for i := range 5 {
			group.Go(func() {
				if _, err := h.Create(t.Context(), profile(fmt.Sprint(i))); err == nil {
					t.Error("it is created")
				} else if _, ok := errors.AsType[*servers.StoreError](err); !ok {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, found := h.Profile("a"); !found {
			t.Error("profiles cannot be read meanwhile")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.Remove(ctx, "a"); err == nil {
			t.Error("a change that is given up is made")
		}
		group.Wait()
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestThereAreAtMostAThousandProfiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemoryStore()
		store.change(func(byName map[string]profiles.Profile) {
			for i := range profiles.MaxProfiles - 1 {
				byName[fmt.Sprint(i)] = profile(fmt.Sprint(i))
			}
		})
		h, stop := start(t, store)
		defer stop()
		h.create(t, "last")
		for name, want := range map[string]error{"more": profiles.ErrTooMany, "last": profiles.ErrNameTaken} {
			if _, err := h.Create(t.Context(), profile(name)); !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := h.Remove(t.Context(), "0"); err != nil {
			t.Fatal(err)
		}
		h.create(t, "more")
	})
}

func TestProfilesOutliveTheRegistry(t *testing.T) {
	store := newMemoryStore()
	first, stop := start(t, store)
	made := first.create(t, "a")
	stop()
	second, stop := start(t, store)
	defer stop()
	if got, found := second.Profile("a"); !found || got.CreatedAt != made.CreatedAt {
		t.Errorf("%+v, %t", got, found)
	}
}

func TestAStoreThatCannotBeReadFailsTheStart(t *testing.T) {
	store := newMemoryStore()
	store.set(errors.New("disk full"), false)
	r := profiles.NewProfileRegistry(store, nil)
	if err := r.Start(t.Context()); err == nil || err.Error() != "profiles: disk full" {
		t.Error(err)
	}
}

func TestChangesOfOtherReplicasAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := start(t, newMemoryStore())
		defer stop()
		h.create(t, "a")
		h.create(t, "b")
		h.expectSignal(t, true)
		for _, step := range []struct {
			what   string
			change func(byName map[string]profiles.Profile)
			want   string
			signal bool
		}{
			{"nothing", func(map[string]profiles.Profile) {}, "a b", false},
			{"a creation", func(byName map[string]profiles.Profile) { byName["c"] = profile("c") }, "a b c", true},
			{"a removal", func(byName map[string]profiles.Profile) { delete(byName, "a") }, "b c", true},
			{"a change", func(byName map[string]profiles.Profile) {
				byName["b"] = profiles.Profile{Name: "b", Mode: profiles.Lean}
			}, "b c", true},
		} {
			h.store.change(step.change)
			h.store.changes <- struct{}{}
			synctest.Wait()
			h.expectSignal(t, step.signal)
			if got := h.names(); got != step.want {
				t.Errorf("%s: shows %s", step.what, got)
			}
		}
		if p, _ := h.Profile("b"); p.Mode != profiles.Lean {
			t.Errorf("%+v", p)
		}
	})
}

func TestAHintIsNotLostWhileTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := start(t, newMemoryStore())
		defer stop()
		h.store.change(func(byName map[string]profiles.Profile) { byName["a"] = profile("a") })
		h.store.set(errors.New("disk full"), false)
		h.store.changes <- struct{}{}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !strings.Contains(h.log.String(), "disk full") || h.names() != "" {
			t.Errorf("%s, logged %s", h.names(), h.log)
		}
		h.store.set(nil, false)
		time.Sleep(time.Minute)
		if h.names() != "a" {
			t.Errorf("shows %q", h.names())
		}
	})
}

// What is stored and what is shown differ after a change whose outcome was unknown.
func TestWhatTheStoreContradictsIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := start(t, newMemoryStore())
		defer stop()
		h.create(t, "gone")
		h.store.change(func(byName map[string]profiles.Profile) {
			delete(byName, "gone")
			byName["new"] = profile("new")
		})
		if _, err := h.Create(t.Context(), profile("new")); !errors.Is(err, profiles.ErrNameTaken) || h.names() != "new" {
			t.Errorf("%v, shows %s", err, h.names())
		}
		h.store.change(func(byName map[string]profiles.Profile) { delete(byName, "new") })
		if _, err := h.Change(t.Context(), "new", profiles.Change{}); !errors.Is(err, profiles.ErrUnknown) || h.names() != "" {
			t.Errorf("%v, shows %s", err, h.names())
		}
		h.create(t, "removed")
		h.store.change(func(byName map[string]profiles.Profile) { delete(byName, "removed") })
		if err := h.Remove(t.Context(), "removed"); err != nil || h.names() != "" {
			t.Errorf("%v, shows %s", err, h.names())
		}
	})
}

func TestASubscriptionEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, stop := start(t, newMemoryStore())
		defer stop()
		ctx, cancel := context.WithCancel(t.Context())
		mine := h.Subscribe(ctx)
		h.create(t, "a")
		h.create(t, "b")
		if len(mine) != 1 {
			t.Errorf("two changes are %d signals", len(mine))
		}
		<-mine
		cancel()
		synctest.Wait()
		h.create(t, "c")
		if len(mine) != 0 {
			t.Error("it is still signaled")
		}
	})
}

func TestProfilesCanBeUsedByMany(t *testing.T) {
	h, stop := start(t, newMemoryStore())
	defer stop()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 50 {
				name := fmt.Sprint(i, "-", j%5)
				if _, err := h.Create(t.Context(), profile(name)); err != nil {
					t.Error(err)
				}
				if _, err := h.Change(t.Context(), name, profiles.Change{Mode: new(profiles.Lean)}); err != nil {
					t.Error(err)
				}
				if p, found := h.Profile(name); !found || p.Mode != profiles.Lean || len(h.Profiles()) == 0 {
					t.Errorf("%+v", p)
				}
				if err := h.Remove(t.Context(), name); err != nil {
					t.Error(err)
				}
				select {
				case h.store.changes <- struct{}{}:
				default:
				}
			}
		})
	}
	group.Wait()
	if h.names() != "" {
		t.Errorf("left are %s", h.names())
	}
}
