package search

import (
	"cmp"
	"slices"
)

// Explanation says where a score comes from.
type Explanation struct {
	Legs  map[Leg]float64 // what each gave; they add up to the score
	Terms []TermHit       // what the lexical leg's part consists of
}

// TermHit says what a word of the query found in a tool.
type TermHit struct {
	Word   string // of the query
	Term   string // of the tool
	Match  Match
	Score  float64 // its part of what the lexical leg gave
	Fields []FieldHit
}

// FieldHit says how much of a term's score is due to a field.
type FieldHit struct {
	Field string
	Score float64
}

// explain returns the words that a tool has of a query, and what each gives of
// the tool's score, all of which is the lexical leg's part of it.
func (sc *scorer) explain(seg *segment, doc int, terms []queryTerm, score float64) []TermHit {
	var hits []TermHit
	all, sum := sc.snapshot.dict.all(), 0.
	for i := range terms {
		var best TermHit
		for j := range terms[i].members {
			m := &terms[i].members[j]
			if hit := sc.explainMember(seg, doc, m); hit.Score > best.Score {
				best = hit
				best.Word, best.Term, best.Match = terms[i].word, all[m.id].word, m.match
			}
		}
		if best.Score > 0 {
			hits = append(hits, best)
			sum += best.Score
		}
	}
	for i := range hits {
		hits[i].scale(score / sum)
	}
	return hits
}

func (h *TermHit) scale(factor float64) {
	h.Score *= factor
	for i := range h.Fields {
		h.Fields[i].Score *= factor
	}
}

func (sc *scorer) explainMember(seg *segment, doc int, m *member) TermHit {
	var weights [allFields]float64
	sum := 0.
	for _, p := range seg.find(m.id) {
		if int(p.doc) == doc || p.doc == allDocs {
			w := sc.weigh(seg, p)
			weights[p.field] = w
			sum += w
		}
	}
	if sum == 0 {
		return TermHit{}
	}
	hit := TermHit{Score: m.score(sum)}
	for f, w := range weights {
		if w > 0 {
			hit.Fields = append(hit.Fields, FieldHit{fieldWeights[f].name, hit.Score * w / sum})
		}
	}
	slices.SortStableFunc(hit.Fields, func(a, b FieldHit) int { return cmp.Compare(b.Score, a.Score) })
	return hit
}
