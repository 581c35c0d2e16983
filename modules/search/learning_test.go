package search_test

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

	"mcp-aggregator/modules/search"
)

func newLearning(o search.LearningOptions) *search.Learning {
	return search.NewLearning(search.NewMemoryLearning(), quiet(), o)
}

// taught returns an engine with two tools that do not contain the words users search for.
func taught(l *search.Learning) *search.Engine {
	e := search.NewEngine(l, quiet(), search.Options{})
	e.Replace("app", []search.Tool{tool("app", "alpha", "Start the standup board"), tool("app", "beta", "Shows the kanban lanes")})
	return e
}

// use searches in a session and then calls a tool.
func use(t *testing.T, e *search.Engine, l *search.Learning, principal, query, own string) {
	t.Helper()
	r, err := e.Search(t.Context(), search.Query{Text: query})
	if err != nil {
		t.Fatal(err)
	}
	session := "session of " + principal
	l.Observe(session, principal, query, r)
	l.Called(session, principal, "app", own)
}

func found(t *testing.T, e *search.Engine, query string) []string {
	t.Helper()
	r, err := e.Search(t.Context(), search.Query{Text: query})
	if err != nil {
		t.Fatal(err)
	}
	return names(r)
}

func TestCalledToolsAreFoundByTheWordsOfTheSearch(t *testing.T) {
	l := newLearning(search.LearningOptions{})
	e := taught(l)
	use(t, e, l, "ann", "sprint overview", "beta")
	if got := found(t, e, "sprint"); len(got) > 0 {
		t.Errorf("one principal changes the ranking to %q", got)
	}
	for range 50 {
		use(t, e, l, "ann", "sprint overview", "beta")
	}
	if got := found(t, e, "sprint"); len(got) > 0 {
		t.Errorf("one principal with many calls changes the ranking to %q", got)
	}
	use(t, e, l, "bob", "the sprints", "beta")
	r, err := e.Search(t.Context(), search.Query{Text: "which sprint", Explain: true})
	if err != nil || !slices.Equal(names(r), []string{"app.beta"}) {
		t.Fatalf("with two principals, found %q: %v", names(r), err)
	}
	if h := r.Hits[0]; !near(h.Explanation.Legs[search.LegLearned], h.Score) || h.Score <= 0 || h.Score > 1 || !slices.Contains(r.Legs, search.LegLearned) {
		t.Errorf("%v is explained as %v, by %q", h.Score, h.Explanation.Legs, r.Legs)
	}
	if got := found(t, e, "overview"); len(got) > 0 {
		t.Errorf("a word used by only one principal finds %q", got)
	}
	e.Remove("app")
	if got := found(t, e, "sprint"); len(got) > 0 {
		t.Errorf("a removed tool is found: %q", got)
	}
}

func TestWhichCallsAreTheOutcomeOfASearch(t *testing.T) {
	const minute = time.Minute
	tests := []struct {
		name  string
		calls []string // tools, or a wait
		want  bool
	}{
		{"the call that follows", []string{"beta"}, true},
		{"the third call", []string{"x", "x", "beta"}, true},
		{"not the fourth", []string{"x", "x", "x", "beta"}, false},
		{"a call ten minutes later", []string{"wait", "beta"}, true},
		{"not one a minute after that", []string{"wait", "wait more", "beta"}, false},
		{"not a call of another principal", []string{"other"}, false},
		{"not a call of another session", []string{"elsewhere"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLearning(search.LearningOptions{Quorum: 1})
				e := taught(l)
				l.Observe("s", "ann", "sprint", search.Results{})
				for _, call := range tt.calls {
					switch call {
					case "wait":
						time.Sleep(10 * minute)
					case "wait more":
						time.Sleep(minute)
					case "other":
						l.Called("s", "eve", "app", "beta")
					case "elsewhere":
						l.Called("t", "ann", "app", "beta")
					default:
						l.Called("s", "ann", "app", call)
					}
				}
				if got := slices.Contains(found(t, e, "sprint"), "app.beta"); got != tt.want {
					t.Errorf("learned: %t, want %t", got, tt.want)
				}
			})
		})
	}
}

func TestVotesLoseWeightWithAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLearning(search.LearningOptions{Quorum: 1})
		e := taught(l)
		use(t, e, l, "ann", "sprint", "alpha")
		use(t, e, l, "ann", "sprint", "alpha")
		time.Sleep(120 * 24 * time.Hour)
		use(t, e, l, "ann", "sprint", "beta")
		if got := found(t, e, "sprint"); !slices.Equal(got, []string{"app.beta", "app.alpha"}) {
			t.Errorf("two calls four months ago count more than one today: %q", got)
		}
	})
}

func TestLearningThatIsOffLearnsNothing(t *testing.T) {
	l := newLearning(search.LearningOptions{Quorum: 1, Off: true})
	e := taught(l)
	if err := l.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	use(t, e, l, "ann", "sprint", "beta")
	if all, _ := l.Votes("ann"); all > 0 || l.Sessions() > 0 || len(found(t, e, "sprint")) > 0 {
		t.Errorf("there are %d votes, %d sessions", all, l.Sessions())
	}
	if err := l.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestVotesAreBounded(t *testing.T) {
	l := newLearning(search.LearningOptions{MaxVotes: 800})
	e := taught(l)
	use(t, e, l, "bob", "sprint", "beta")
	for i := range 1000 {
		use(t, e, l, "ann", fmt.Sprintf("word%d other%d", i, i), "alpha")
	}
	if all, own := l.Votes("ann"); own > 100 || all > 101 {
		t.Errorf("one principal has %d of %d votes, with a limit of 800", own, all)
	}
	if _, own := l.Votes("bob"); own != 1 {
		t.Errorf("another principal's votes are evicted")
	}
	for i := range 10_000 {
		use(t, e, l, fmt.Sprint("principal", i), fmt.Sprintf("word%d", i), "alpha")
	}
	if all, _ := l.Votes("ann"); all > 800 || l.Sessions() > 5000 {
		t.Errorf("there are %d votes, %d sessions", all, l.Sessions())
	}
}

// unreliable is a store that can fail.
type unreliable struct {
	*search.MemoryLearning
	mu    sync.Mutex
	fails bool
}

func (u *unreliable) set(fails bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.fails = fails
}

func (u *unreliable) err() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.fails {
		return errors.New("no disk")
	}
	return nil
}

func (u *unreliable) LoadVotes(ctx context.Context) ([]search.Vote, error) {
	votes, _ := u.MemoryLearning.LoadVotes(ctx)
	return votes, u.err()
}

func (u *unreliable) SaveVotes(ctx context.Context, votes []search.Vote) error {
	if err := u.err(); err != nil {
		return err
	}
	return u.MemoryLearning.SaveVotes(ctx, votes)
}

func TestVotesSurviveARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unreliable{MemoryLearning: search.NewMemoryLearning(), fails: true}
		run := func(use func(*search.Learning, *search.Engine)) {
			t.Helper()
			l := search.NewLearning(store, quiet(), search.LearningOptions{Quorum: 1})
			if err := l.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			use(l, taught(l))
			if err := l.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		run(func(l *search.Learning, e *search.Engine) {
			use(t, e, l, "ann", "sprint", "beta")
			time.Sleep(2 * time.Minute)
			store.set(false)
		})
		run(func(l *search.Learning, e *search.Engine) {
			if got := found(t, e, "sprint"); !slices.Equal(got, []string{"app.beta"}) {
				t.Errorf("after a start, found %q", got)
			}
			use(t, e, l, "ann", "sprint", "beta")
			store.set(true)
			time.Sleep(2 * time.Minute)
			store.set(false)
			time.Sleep(2 * time.Minute)
			votes, _ := store.LoadVotes(t.Context())
			if len(votes) != 1 || votes[0].Weight < 1.4 || votes[0].Weight > 2 || strings.Contains(votes[0].Principal, "ann") {
				t.Errorf("stored is %+v", votes)
			}
		})
	})
}

func TestReplicasLearnFromEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := search.NewMemoryLearning()
		var learnings []*search.Learning
		var engines []*search.Engine
		for range 2 {
			l := search.NewLearning(store, quiet(), search.LearningOptions{})
			if err := l.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := l.Stop(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			learnings, engines = append(learnings, l), append(engines, taught(l))
		}
		synctest.Wait()
		use(t, engines[0], learnings[0], "ann", "sprint", "beta")
		use(t, engines[1], learnings[1], "bob", "sprint", "beta")
		for i, e := range engines {
			if got := found(t, e, "sprint"); len(got) > 0 {
				t.Errorf("replica %d knows of the other at once: %q", i, got)
			}
		}
		time.Sleep(6 * time.Minute)
		use(t, engines[0], learnings[0], "ann", "lanes", "beta") // what is not stored yet stays
		time.Sleep(5 * time.Minute)
		for i, e := range engines {
			if got := found(t, e, "sprint"); !slices.Equal(got, []string{"app.beta"}) {
				t.Errorf("replica %d has not learned from the other: %q", i, got)
			}
		}
		if all, own := learnings[0].Votes("ann"); all != 3 || own != 2 {
			t.Errorf("there are %d votes, %d of one principal", all, own)
		}
	})
}

func TestNamesWithoutEndAreNotLearned(t *testing.T) {
	l := newLearning(search.LearningOptions{Quorum: 1})
	e := taught(l)
	use(t, e, l, "ann", "sprint", strings.Repeat("y", 513))
	if all, _ := l.Votes("ann"); all > 0 {
		t.Errorf("there are %d votes", all)
	}
}

// Learning from one half of the queries must improve the other half.
func TestLearningImprovesTheRanking(t *testing.T) {
	if underRace {
		t.Skip("a replay does not exercise concurrency")
	}
	for name, gain := range map[string]float64{"metatool": .1, "seal": -.005, "mcpproxy": -.005} {
		before, after := replay(t, readSet(t, name))
		if b, a := mean(before), mean(after); a.NDCG < b.NDCG+gain {
			t.Errorf("%s: nDCG@10 is %.4f after learning, %.4f before", name, a.NDCG, b.NDCG)
		}
	}
}

// replay lets 50 principals run every other query of a set and call the relevant tools. It
// returns the figures of the remaining queries before and after.
func replay(tb testing.TB, s *set) (before, after []figures) {
	tb.Helper()
	l := newLearning(search.LearningOptions{})
	plain, e := search.NewEngine(nil, quiet(), search.Options{}), search.NewEngine(l, quiet(), search.Options{})
	s.fill(plain)
	s.fill(e)
	rest := &set{}
	for i, q := range s.queries {
		if i%2 == 1 {
			rest.queries = append(rest.queries, q)
			continue
		}
		r, err := plain.Search(tb.Context(), search.Query{Text: q.Query})
		if err != nil {
			tb.Fatal(err)
		}
		principal := fmt.Sprint("principal ", i%100)
		l.Observe(principal, principal, q.Query, r)
		for _, answer := range q.Relevant {
			l.Called(principal, principal, answer.Server, answer.Tool)
		}
	}
	rank := func(e *search.Engine) ranker {
		return func(query string) []key {
			r, err := e.Search(tb.Context(), search.Query{Text: query})
			if err != nil {
				tb.Fatal(err)
			}
			return keys(r.Hits)
		}
	}
	return rest.judgeAll(rank(plain)), rest.judgeAll(rank(e))
}
