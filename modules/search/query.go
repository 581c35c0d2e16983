package search

import (
	"errors"
	"math"
	"slices"
	"strings"
)

// Limits of a query.
const (
	MaxQuery     = 8 << 10 // bytes of text
	MaxLimit     = 100     // results
	DefaultLimit = 10

	maxQueryTerms = 128 // distinct terms that count
)

// Errors for invalid queries.
var (
	ErrEmptyQuery   = errors.New("query: is empty")
	ErrQueryTooLong = errors.New("query: is longer than 8 KiB")
)

// Query describes a search.
type Query struct {
	Text    string
	Limit   int      // 0 means DefaultLimit; capped at MaxLimit
	Servers []string // names or ids; none means all
	Explain bool
	// Keep reports whether the named tool may be a result; nil means all. Tools it
	// rejects still count as searched.
	Keep func(name string) bool
}

func (q Query) check() error {
	switch {
	case len(q.Text) > MaxQuery:
		return ErrQueryTooLong
	case strings.TrimSpace(q.Text) == "":
		return ErrEmptyQuery
	default:
		return nil
	}
}

func (q Query) limit() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// Match says how a term of a tool matches a word of the query.
type Match string

// Kinds of matches.
const (
	Exact     Match = "exact"     // the same stem
	Synonym   Match = "synonym"   // in the same group of the thesaurus
	Corrected Match = "corrected" // nearest to a word that no tool contains
)

// queryTerm is a word of the query with the terms that match it.
type queryTerm struct {
	word    string
	idf     float64
	members []member
}

type member struct {
	id     termID
	match  Match
	weight float64
	idf    float64
}

// queryStems returns the distinct stems of a text in order, and the word each was first
// seen as.
func queryStems(text string) (stems, words []string) {
	seen := map[string]bool{}
	eachWord(clip(text, MaxQuery), true, func(word string) {
		s := stem(word)
		if s == "" || seen[s] || len(stems) == maxQueryTerms {
			return
		}
		seen[s] = true
		stems, words = append(stems, s), append(words, word)
	})
	return stems, words
}

// parse returns the stems and terms of a text, and the best possible score: that of a tool
// with every word in every field.
func (s *Snapshot) parse(text string) (stems []string, terms []queryTerm, best float64) {
	stems, words := queryStems(text)
	corrected := 0
	for i, stem := range stems {
		t := queryTerm{word: words[i]}
		if id, n := s.find(stem); n > 0 {
			t.members = append(t.members, member{id: id, match: Exact, weight: 1, idf: s.idf(n)})
		}
		t.members = s.expand(t.members, stem, stems)
		if len(t.members) == 0 && s.shared.tune.Correct > 0 && corrected < maxCorrected {
			corrected++
			for _, id := range s.nearest(stem) {
				t.members = append(t.members, member{id: id, match: Corrected, weight: s.shared.tune.Correct, idf: s.idf(s.docs[id])})
			}
		}
		for _, m := range t.members {
			t.idf = max(t.idf, m.weight*m.idf)
		}
		if len(t.members) == 0 {
			best += s.idf(0)
			continue
		}
		best += t.idf * (k1 + 1)
		terms = append(terms, t)
	}
	return stems, terms, best * (1 + nameBonus)
}

// expand adds the synonyms of a stem, except those that the query contains itself.
func (s *Snapshot) expand(members []member, stem string, stems []string) []member {
	if s.shared.tune.Synonym == 0 {
		return members
	}
	for _, other := range s.shared.tune.thesaurus[stem] {
		if id, n := s.find(other); n > 0 && !slices.Contains(stems, other) {
			members = append(members, member{id: id, match: Synonym, weight: s.shared.tune.Synonym, idf: s.idf(n)})
		}
	}
	return members
}

// find returns the id of a term and how many tools have it.
func (s *Snapshot) find(stem string) (termID, uint32) {
	id, ok := s.dict.find(stem)
	if !ok || int(id) >= len(s.docs) {
		return 0, 0
	}
	return id, s.docs[id]
}

// idf returns the inverse document frequency of a term that n tools have.
func (s *Snapshot) idf(n uint32) float64 {
	return math.Log(1 + (float64(s.tools)-float64(n)+.5)/(float64(n)+.5))
}
