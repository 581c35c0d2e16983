package dense_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/dense"
)

func TestAHangingEmbedderDelaysSearchesBriefly(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		e.does(hang)
		leg.Replace("git", git())
		if code := without(t, leg); code != dense.NotReady {
			t.Errorf("before it answers: %s", code)
		}
		e.does(nil)
		time.Sleep(2 * time.Minute)
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
		e.does(hang)
		for range 5 {
			if code := without(t, leg); code != dense.Unavailable {
				t.Errorf("while it hangs: %s", code)
			}
		}
		before, _ := e.asked("git")
		begun := time.Now()
		for range 100 {
			if code := without(t, leg); code != dense.Unavailable {
				t.Errorf("while the circuit is open: %s", code)
			}
		}
		if requests, _ := e.asked("git"); requests != before || time.Since(begun) != 0 {
			t.Errorf("%d requests more, in %v", requests-before, time.Since(begun))
		}
	})
}

// A query whose vector is cached succeeds without the embedder.
func TestCachedQueriesDoNotKeepTheCircuitClosed(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		first(t, leg, "ticket")
		e.does(hang)
		for i := range 5 {
			if _, err := leg.Scores(t.Context(), fmt.Sprint("new ", i), 5); err == nil {
				t.Error("a query was embedded while the embedder hangs")
			}
			first(t, leg, "ticket")
		}
		begun := time.Now()
		_, err := leg.Scores(t.Context(), "another", 5)
		if took := time.Since(begun); err == nil || took != 0 {
			t.Errorf("while the circuit is open: %v after %v", err, took)
		}
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("of the cached query: %s", got)
		}
	})
}

func TestAFailingStoreIsNotSearchedForAWhile(t *testing.T) {
	e, v := newEmbedder(), newVectors()
	run(t, e, v, dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		first(t, leg, "ticket")
		v.away(errors.New("connection refused"))
		before := v.searches.Load()
		for range 20 {
			without(t, leg)
		}
		if n := v.searches.Load() - before; n != 5 {
			t.Errorf("the store was searched %d times while it failed", n)
		}
		v.away(nil)
		time.Sleep(2 * time.Minute)
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
	})
}

func TestSearchesRecoverWithTheEmbedder(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		e.does(func(context.Context, []string) ([][]float32, error) { return nil, errors.New("connection refused") })
		for range 10 {
			without(t, leg)
		}
		e.does(nil)
		time.Sleep(31 * time.Second)
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
	})
}

func TestCancelledSearchesDoNotOpenTheCircuit(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		e.does(hang)
		for i := range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			if _, err := leg.Scores(ctx, fmt.Sprint("query", i), 3); err == nil {
				t.Error("there are scores")
			}
		}
		e.does(nil)
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
	})
}

func TestQueriesBeyondTheLimitFailImmediately(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{QueryConcurrency: 2}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		e.does(func(_ context.Context, texts []string) ([][]float32, error) {
			time.Sleep(100 * time.Millisecond)
			return count(texts, size), nil
		})
		var mu sync.Mutex
		answered := 0
		var group sync.WaitGroup
		for i := range 10 {
			group.Go(func() {
				if _, err := leg.Scores(t.Context(), fmt.Sprint("query", i), 3); err == nil {
					mu.Lock()
					answered++
					mu.Unlock()
				}
			})
		}
		group.Wait()
		if answered != 2 {
			t.Errorf("%d were answered", answered)
		}
	})
}

func TestAQueryIsEmbeddedOnce(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{QueryPrefix: "query: "}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		for range 3 {
			if got := first(t, leg, " ticket\n"); got != "git.create_issue" {
				t.Errorf("got %s", got)
			}
		}
	})
	if e.texts["query: ticket"] != 1 {
		t.Errorf("got %v", e.texts)
	}
}

func TestANewDimensionReplacesTheOldOne(t *testing.T) {
	for name, notice := range map[string]func(leg started){
		"a query meets it": func(leg started) {
			t := leg.t
			if code := without(t, leg); code != dense.Unavailable {
				t.Errorf("got %s", code)
			}
		},
		"a tool meets it": func(leg started) { leg.Replace("mail", []dense.Tool{tool("send", "A message")}) },
	} {
		t.Run(name, func(t *testing.T) {
			e := newEmbedder()
			run(t, e, newVectors(), dense.Options{}, func(leg started) {
				t := leg.t
				leg.Replace("git", git())
				synctest.Wait()
				if got := first(t, leg, "ticket"); got != "git.create_issue" {
					t.Errorf("got %s", got)
				}
				e.resize(100)
				notice(leg)
				time.Sleep(time.Minute)
				if s := leg.Status(); s.Dimension != 100 || s.Embedded != s.Tools || s.Err != nil {
					t.Errorf("got %+v", s)
				}
				if got := first(t, leg, "ticket"); got != "git.create_issue" { // cached with the old dimension
					t.Errorf("got %s", got)
				}
			})
		})
	}
}

func TestARejectedTextDoesNotAffectOthers(t *testing.T) {
	e := newEmbedder()
	e.does(func(_ context.Context, texts []string) ([][]float32, error) {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "poison") }) {
			return nil, &dense.Error{Code: dense.Rejected, Err: errors.New("too long")}
		}
		return count(texts, size), nil
	})
	run(t, e, newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", append(git(), tool("poison", "x"), tool("poison2", "x")))
		synctest.Wait()
		if s := leg.Status(); s.Embedded != 3 || s.Rejected != 2 || s.Err != nil {
			t.Errorf("got %+v", s)
		}
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
	})
}

func TestTheDailyLimitResetsAtMidnight(t *testing.T) {
	for name, o := range map[string]dense.Options{"requests": {RequestsPerDay: 2}, "tokens": {TokensPerDay: 30}} {
		t.Run(name, func(t *testing.T) {
			e := newEmbedder()
			o.BatchSize, o.Concurrency = 2, 1
			run(t, e, newVectors(), o, func(leg started) { // the bubble starts at midnight
				t := leg.t
				leg.Replace("git", append(git(), tool("four", "x")))
				time.Sleep(23 * time.Hour)
				before, _ := e.asked("git")
				if code := without(t, leg); code != dense.NotReady || before != 2 {
					t.Errorf("got %s after %d requests", code, before)
				}
				time.Sleep(2 * time.Hour)
				if s := leg.Status(); s.Embedded != 4 || s.Err != nil {
					t.Errorf("the next day: %+v", s)
				}
			})
		})
	}
}

func TestAStoreThatIsDownAtTheStartIsRetried(t *testing.T) {
	e, s := newEmbedder(), newVectors()
	s.away(errors.New("connection refused"))
	run(t, e, s, dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		time.Sleep(time.Hour)
		if _, texts := e.asked("git"); texts != 0 {
			t.Errorf("%d texts were embedded without a store", texts)
		}
		if code := without(t, leg); code != dense.NotReady {
			t.Errorf("got %s", code)
		}
		s.away(nil)
		time.Sleep(2 * time.Minute)
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
	})
}

func TestAFailingStoreDoesNotCauseRepeatedEmbedding(t *testing.T) {
	e, s := newEmbedder(), newVectors()
	run(t, e, s, dense.Options{BatchSize: 10}, func(leg started) {
		t := leg.t
		e.does(func(_ context.Context, texts []string) ([][]float32, error) {
			if len(texts) > 1 {
				s.away(errors.New("connection reset")) // after the refresh, before the put
			}
			return count(texts, size), nil
		})
		var many []dense.Tool
		for i := range 100 {
			many = append(many, tool(fmt.Sprint("tool", i), "does something"))
		}
		leg.Replace("big", many)
		time.Sleep(time.Hour)
		if _, texts := e.asked("big"); texts > 20 {
			t.Errorf("%d texts were embedded", texts)
		}
		e.does(nil)
		s.away(nil)
		time.Sleep(2 * time.Minute)
		if s := leg.Status(); s.Embedded != 100 || s.Err != nil {
			t.Errorf("got %+v", s)
		}
	})
	if _, texts := e.asked("big"); texts != 100 {
		t.Errorf("%d texts were embedded", texts)
	}
}

func TestAnEmptiedStoreIsRefilled(t *testing.T) {
	e, s := newEmbedder(), newVectors()
	run(t, e, s, dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		time.Sleep(time.Minute)
		s.away(errors.New("connection refused"))
		if code := without(t, leg); code != dense.Unavailable {
			t.Errorf("got %s", code)
		}
		s.lose()
		s.away(nil)
		time.Sleep(2 * time.Minute)
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
	})
	if _, texts := e.asked("git"); texts != 6 {
		t.Errorf("%d texts were embedded", texts)
	}
}

func TestUnusedVectorsAreDeleted(t *testing.T) {
	e, s := newEmbedder(), newVectors()
	run(t, e, s, dense.Options{}, func(leg started) {
		leg.Replace("git", git())
		leg.Replace("mail", []dense.Tool{tool("send", "A message")})
		synctest.Wait()
		leg.Remove("mail")
		time.Sleep(20 * 24 * time.Hour)
		leg.Replace("mail", []dense.Tool{tool("send", "A message")}) // still stored
		time.Sleep(time.Hour)
		leg.Remove("mail")
		time.Sleep(33 * 24 * time.Hour)
		leg.Replace("mail", []dense.Tool{tool("send", "A message")}) // deleted in the meantime
		synctest.Wait()
	})
	_, used := e.asked("git")
	if _, texts := e.asked("mail"); texts != 2 || used != 3 {
		t.Errorf("%d texts were embedded, %d of what is used", texts, used)
	}
}

func TestServersComeAndGoWhileOthersSearch(t *testing.T) {
	e := newEmbedder()
	run(t, e, newVectors(), dense.Options{}, func(leg started) {
		t := leg.t
		leg.Replace("git", git())
		synctest.Wait()
		var group sync.WaitGroup
		for i := range 4 {
			group.Go(func() {
				for j := range 50 {
					name := fmt.Sprint("server", i)
					leg.Replace(name, []dense.Tool{tool(fmt.Sprint("t", j%7), "does something")})
					_, _ = leg.Scores(t.Context(), fmt.Sprint("query ", j), 5)
					leg.Status()
					leg.Remove(name)
				}
			})
		}
		group.Wait()
		if got := first(t, leg, "ticket"); got != "git.create_issue" {
			t.Errorf("got %s", got)
		}
		if s := leg.Status(); s.Tools != 3 || s.Embedded != 3 {
			t.Errorf("got %+v", s)
		}
	})
}
