package search

import "slices"

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

// explain returns the words that a tool has of a query, and what each gives to
// the tool's score, times factor.
func (sc *scorer) explain(seg *segment, doc int, terms []queryTerm, factor float64) []TermHit {
	var hits []TermHit
	all := sc.snapshot.dict.all()
	for i := range terms {
		var best TermHit
		for j := range terms[i].members {
			m := &terms[i].members[j]
			hit := sc.explainMember(seg, doc, m, factor)
			if hit.Score > best.Score {
				best = hit
				best.Word, best.Term, best.Match = terms[i].word, all[m.id].word, m.match
			}
		}
		if best.Score > 0 {
			hits = append(hits, best)
		}
	}
	return hits
}

func (sc *scorer) explainMember(seg *segment, doc int, m *member, factor float64) TermHit {
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
	hit := TermHit{Score: m.score(sum) * factor}
	for f, w := range weights {
		if w > 0 {
			hit.Fields = append(hit.Fields, FieldHit{fieldWeights[f].name, hit.Score * w / sum})
		}
	}
	slices.SortStableFunc(hit.Fields, func(a, b FieldHit) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		default:
			return 0
		}
	})
	return hit
}
