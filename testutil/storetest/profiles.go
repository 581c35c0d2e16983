package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-aggregator/modules/profiles"
)

// RunProfiles tests the stores that open opens, as [Run] does.
func RunProfiles(t *testing.T, open func(t *testing.T) profiles.Store) {
	t.Helper()
	merge(keepingProfiles(), changingProfiles(), removingProfiles()).run(t, open)
}

// fullProfile returns a profile with all fields set.
func fullProfile(name string) profiles.Profile {
	return profiles.Profile{
		Name: name, Description: OddText, Servers: []string{"a", "B_2-"},
		Allow: []string{OddText, "*", "<&>", `\[`}, Deny: []string{"a.*"}, Pin: []string{"", `"`, "null"},
		Mode: profiles.Lean, CreatedAt: timeAt(1), UpdatedAt: timeAt(2),
	}
}

func minimalProfile(name string) profiles.Profile {
	return profiles.Profile{Name: name, Mode: profiles.Full, CreatedAt: timeAt(1), UpdatedAt: timeAt(1)}
}

func createProfiles(t tb, s profiles.Store, all ...profiles.Profile) {
	t.Helper()
	for _, p := range all {
		if err := s.CreateProfile(context.Background(), p); err != nil {
			t.Fatalf("create %s: %v", p.Name, err)
		}
	}
}

// storedProfiles returns all profiles, ordered by name.
func storedProfiles(t tb, s profiles.Store) []profiles.Profile {
	t.Helper()
	all, err := s.Profiles(context.Background())
	if err != nil {
		t.Fatalf("profiles: %v", err)
	}
	slices.SortFunc(all, func(a, b profiles.Profile) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func updateProfile(t tb, s profiles.Store, name string, change func(*profiles.Profile)) profiles.Profile {
	t.Helper()
	after, err := s.UpdateProfile(context.Background(), name, func(p *profiles.Profile) error { change(p); return nil })
	if err != nil {
		t.Fatalf("update: %v", err)
	}
	return after
}

func keepingProfiles() contract[profiles.Store] {
	return contract[profiles.Store]{
		"a profile is read back as it was created": func(t *testing.T, s profiles.Store) {
			all := []profiles.Profile{fullProfile("a"), minimalProfile("b")}
			createProfiles(t, s, all[1], all[0])
			equal(t, storedProfiles(t, s), all)
		},
		"an empty list is none": func(t *testing.T, s profiles.Store) {
			p := minimalProfile("a")
			p.Servers, p.Allow, p.Deny, p.Pin = []string{}, []string{}, []string{}, []string{}
			createProfiles(t, s, p)
			equal(t, storedProfiles(t, s), []profiles.Profile{minimalProfile("a")})
		},
		"a name is unique, and its case counts": func(t *testing.T, s profiles.Store) {
			createProfiles(t, s, minimalProfile("a"), minimalProfile("A"))
			if err := s.CreateProfile(t.Context(), fullProfile("a")); !errors.Is(err, profiles.ErrNameTaken) {
				t.Errorf("got %v", err)
			}
			equal(t, storedProfiles(t, s), []profiles.Profile{minimalProfile("A"), minimalProfile("a")})
		},
		"of those that create one name at once, one does": func(t *testing.T, s profiles.Store) {
			var group sync.WaitGroup
			errs := make([]error, 8)
			for i := range errs {
				group.Go(func() { errs[i] = s.CreateProfile(t.Context(), minimalProfile("a")) })
			}
			group.Wait()
			created := 0
			for _, err := range errs {
				if err == nil {
					created++
				} else if !errors.Is(err, profiles.ErrNameTaken) {
					t.Error(err)
				}
			}
			equal(t, created, 1)
			equal(t, len(storedProfiles(t, s)), 1)
		},
		"invalid characters of a profile are replaced": func(t *testing.T, s profiles.Store) {
			p := minimalProfile("a")
			p.Description, p.Allow = "a\x00b\xffc", []string{"\xff", "a\x00"}
			createProfiles(t, s, p)
			p.Description, p.Allow = "a\uFFFDb\uFFFDc", []string{"\uFFFD", "a\uFFFD"}
			equal(t, storedProfiles(t, s), []profiles.Profile{p})
		},
		"a profile may be as large as profiles may be": func(t *testing.T, s profiles.Store) {
			p := fullProfile("a")
			p.Allow = slices.Repeat([]string{strings.Repeat("x", 256)}, profiles.MaxPatterns)
			createProfiles(t, s, p)
			equal(t, storedProfiles(t, s), []profiles.Profile{p})
		},
		"a context that has ended writes no profile": func(t *testing.T, s profiles.Store) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := s.CreateProfile(ctx, minimalProfile("a")); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			equal(t, len(storedProfiles(t, s)), 0)
		},
	}
}

func changingProfiles() contract[profiles.Store] {
	return contract[profiles.Store]{
		"a changed profile is returned as it is stored": func(t *testing.T, s profiles.Store) {
			createProfiles(t, s, minimalProfile("a"), minimalProfile("b"))
			want := fullProfile("a")
			want.CreatedAt = timeAt(1)
			after := updateProfile(t, s, "a", func(p *profiles.Profile) {
				equal(t, *p, minimalProfile("a"))
				*p = fullProfile("z")
				p.CreatedAt, p.UpdatedAt = timeAt(9), timeAt(2).Add(time.Nanosecond)
				p.Description += "\xff"
			})
			want.Description += "\uFFFD"
			equal(t, after, want)
			equal(t, storedProfiles(t, s), []profiles.Profile{want, minimalProfile("b")})
		},
		"a profile that stays as it was is not written": func(t *testing.T, s profiles.Store) {
			createProfiles(t, s, fullProfile("a"))
			after := updateProfile(t, s, "a", func(p *profiles.Profile) { p.UpdatedAt = timeAt(9) })
			equal(t, after, fullProfile("a"))
			equal(t, storedProfiles(t, s), []profiles.Profile{fullProfile("a")})
		},
		"an error of the change of a profile is returned": func(t *testing.T, s profiles.Store) {
			createProfiles(t, s, minimalProfile("a"))
			refused := errors.New("refused")
			_, err := s.UpdateProfile(t.Context(), "a", func(p *profiles.Profile) error { p.Mode = profiles.Lean; return refused })
			if !errors.Is(err, refused) {
				t.Errorf("got %v", err)
			}
			equal(t, storedProfiles(t, s), []profiles.Profile{minimalProfile("a")})
		},
		"no change of a profile at once is lost": func(t *testing.T, s profiles.Store) {
			createProfiles(t, s, minimalProfile("a"))
			var group sync.WaitGroup
			for i := range 8 {
				group.Go(func() {
					_, err := s.UpdateProfile(t.Context(), "a", func(p *profiles.Profile) error {
						p.Pin = append(slices.Clone(p.Pin), fmt.Sprint(i))
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			group.Wait()
			equal(t, len(storedProfiles(t, s)[0].Pin), 8)
		},
	}
}

func removingProfiles() contract[profiles.Store] {
	return contract[profiles.Store]{
		"a removed profile is gone, and its name free": func(t *testing.T, s profiles.Store) {
			createProfiles(t, s, fullProfile("a"), minimalProfile("b"))
			if err := s.DeleteProfile(t.Context(), "a"); err != nil {
				t.Fatal(err)
			}
			equal(t, storedProfiles(t, s), []profiles.Profile{minimalProfile("b")})
			createProfiles(t, s, minimalProfile("a"))
		},
		"a name that no profile has is unknown": func(t *testing.T, s profiles.Store) {
			createProfiles(t, s, minimalProfile("a"))
			for _, name := range []string{"", "b", "A", "' OR 1=1 --", "\x00", "\xff", "\uFFFD"} {
				_, err := s.UpdateProfile(t.Context(), name, func(*profiles.Profile) error { panic("there is nothing to change") })
				for what, err := range map[string]error{"update": err, "delete": s.DeleteProfile(t.Context(), name)} {
					if !errors.Is(err, profiles.ErrUnknown) {
						t.Errorf("%s %q: %v", what, name, err)
					}
				}
			}
			equal(t, len(storedProfiles(t, s)), 1)
		},
	}
}
