package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"mcp-aggregator/modules/servers"
)

// runConcurrently calls do n times concurrently and returns the errors.
func runConcurrently(n int, do func(i int) error) []error {
	errs := make([]error, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() { errs[i] = do(i) })
	}
	group.Wait()
	return errs
}

// parallel is the number of concurrent calls.
const parallel = 20

func concurrency() contract[servers.Store] {
	return merge(concurrent(), contended())
}

func concurrent() contract[servers.Store] {
	return contract[servers.Store]{
		"twenty are created at once": func(t *testing.T, s servers.Store) {
			errs := runConcurrently(parallel, func(i int) error { return s.Create(t.Context(), fullServer(fmt.Sprint("s", i))) })
			equal(t, errors.Join(errs...), nil)
			equal(t, len(storedServers(t, s)), parallel)
		},
		"one of twenty gets the name": func(t *testing.T, s servers.Store) {
			errs := runConcurrently(parallel, func(int) error { return s.Create(t.Context(), minimalServer("a")) })
			taken := 0
			for _, err := range errs {
				if errors.Is(err, servers.ErrNameTaken) {
					taken++
				} else if err != nil {
					t.Error(err)
				}
			}
			equal(t, taken, parallel-1)
			onlyServer(t, s)
		},
		"no concurrent update is lost": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			errs := runConcurrently(parallel, func(int) error {
				_, err := s.Update(t.Context(), r.ID, func(r *servers.Server) error { r.ToolCount++; return nil }, servers.Event{Kind: servers.EventError})
				return err
			})
			equal(t, errors.Join(errs...), nil)
			equal(t, onlyServer(t, s).ToolCount, parallel)
			equal(t, len(history(t, s, r.ID, maxEvents)), parallel)
		},
	}
}

func contended() contract[servers.Store] {
	return contract[servers.Store]{
		"concurrent updates cannot swap names": func(t *testing.T, s servers.Store) {
			first, second := minimalServer("a"), minimalServer("b")
			create(t, s, first, second)
			for range 5 {
				for _, err := range runConcurrently(2, func(i int) error {
					id, name := first.ID, "b"
					if i == 1 {
						id, name = second.ID, "a"
					}
					_, err := s.Update(t.Context(), id, func(r *servers.Server) error { r.Name = name; return nil })
					return err
				}) {
					if !errors.Is(err, servers.ErrNameTaken) {
						t.Errorf("got %v", err)
					}
				}
			}
			equal(t, storedServers(t, s), []servers.Server{first, second})
		},
		"tools that come during a rename get the new name": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			for round := range 10 {
				name := fmt.Sprint("n", round)
				errs := runConcurrently(2, func(i int) error {
					if i == 0 {
						return s.ReplaceTools(t.Context(), r.ID, []servers.Tool{tool(fmt.Sprint("x", round))})
					}
					_, err := s.Update(t.Context(), r.ID, func(r *servers.Server) error { r.Name = name; return nil })
					return err
				})
				equal(t, errors.Join(errs...), nil)
				equal(t, namespaced(t, s), fmt.Sprint(name, ".x", round))
			}
		},
		"a list is never read in part": func(t *testing.T, s servers.Store) {
			r := minimalServer("a")
			create(t, s, r)
			replaceTools(t, s, r.ID, Tools(100)...)
			for _, err := range runConcurrently(4, func(i int) error {
				for range 5 {
					if i < 2 {
						if err := s.ReplaceTools(t.Context(), r.ID, Tools(100+60*i)); err != nil {
							return err
						}
						continue
					}
					if got, err := s.Tools(t.Context()); err != nil || len(got) != 100 && len(got) != 160 {
						return fmt.Errorf("%d tools, %w", len(got), err)
					}
				}
				return nil
			}) {
				if err != nil {
					t.Error(err)
				}
			}
		},
		"a server that is deleted meanwhile is unknown": func(t *testing.T, s servers.Store) {
			for range 5 {
				r := minimalServer("a")
				create(t, s, r)
				for _, err := range runConcurrently(parallel, func(i int) error {
					switch i % 3 {
					case 0:
						return s.Delete(t.Context(), r.ID)
					case 1:
						return s.ReplaceTools(t.Context(), r.ID, []servers.Tool{tool(fmt.Sprint("x", i))})
					}
					_, err := s.Update(t.Context(), r.ID, func(r *servers.Server) error { r.ToolCount++; return nil }, servers.Event{})
					return err
				}) {
					if err != nil && !errors.Is(err, servers.ErrUnknown) {
						t.Error(err)
					}
				}
				equal(t, len(storedServers(t, s))+len(storedTools(t, s)), 0)
			}
		},
	}
}
