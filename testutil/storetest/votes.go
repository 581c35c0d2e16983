package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"mcp-aggregator/modules/search"
)

// RunVotes tests the stores that open opens, as [Run] does.
func RunVotes(t *testing.T, open func(t *testing.T) search.LearningStore) {
	t.Helper()
	vote := func(stem, own, principal string, weight float64) search.Vote {
		at := time.Unix(1_900_000_000, 0).UTC()
		return search.Vote{Stem: stem, Server: "app", OriginalName: own, Principal: principal, Weight: weight, At: at}
	}
	contract[search.LearningStore]{
		"there are none at first": func(t *testing.T, s search.LearningStore) {
			equal(t, len(votes(t, s)), 0)
		},
		"votes come back as they were saved": func(t *testing.T, s search.LearningStore) {
			all := []search.Vote{vote("issu", OddText, "00000000000000ab", 1./3), vote("東京", "a", "ffffffffffffffff", 3)}
			save(t, s, all...)
			equal(t, votes(t, s), all)
		},
		"a vote is replaced by one of the same word, tool and principal": func(t *testing.T, s search.LearningStore) {
			later := vote("a", "x", "p", 2)
			later.At = later.At.Add(time.Minute)
			save(t, s, vote("a", "x", "p", 1), vote("a", "x", "q", 1), vote("a", "y", "p", 1), vote("b", "x", "p", 1))
			save(t, s, later)
			equal(t, votes(t, s), []search.Vote{later, vote("a", "x", "q", 1), vote("a", "y", "p", 1), vote("b", "x", "p", 1)})
		},
		"a vote without weight is deleted, whether it is there or not": func(t *testing.T, s search.LearningStore) {
			save(t, s, vote("a", "x", "p", 1), vote("a", "y", "p", 1))
			save(t, s, vote("a", "x", "p", 0), vote("a", "z", "p", 0))
			equal(t, votes(t, s), []search.Vote{vote("a", "y", "p", 1)})
		},
		"texts that no column can hold are saved as texts that one can": func(t *testing.T, s search.LearningStore) {
			save(t, s, vote("a\x00", "\xff", "p", 1), vote("a\x00", "\xfe", "p", 2))
			if all := votes(t, s); len(all) != 1 || all[0].OriginalName != "\uFFFD" {
				t.Errorf("got %+v", all)
			}
		},
		"nothing and much can be saved": func(t *testing.T, s search.LearningStore) {
			save(t, s)
			var all []search.Vote
			for i := range 2500 {
				all = append(all, vote(string(rune('一'+i)), "x", "p", 1))
			}
			save(t, s, all...)
			equal(t, len(votes(t, s)), len(all))
		},
	}.run(t, open)
}

func save(t *testing.T, s search.LearningStore, all ...search.Vote) {
	t.Helper()
	if err := s.SaveVotes(t.Context(), all); err != nil {
		t.Fatalf("save votes: %v", err)
	}
}

// votes returns all votes, in one order.
func votes(t *testing.T, s search.LearningStore) []search.Vote {
	t.Helper()
	all, err := s.LoadVotes(t.Context())
	if err != nil {
		t.Fatalf("load votes: %v", err)
	}
	slices.SortFunc(all, func(a, b search.Vote) int {
		return cmp.Or(cmp.Compare(a.Stem, b.Stem), cmp.Compare(a.OriginalName, b.OriginalName), cmp.Compare(a.Principal, b.Principal))
	})
	return all
}
