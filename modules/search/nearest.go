package search

import (
	"cmp"
	"slices"
)

// Limits of correcting words that no tool contains.
const (
	maxCorrected = 4 // corrected words per query
	maxNearest   = 3 // corrections per word
)

// allowedEdits returns how many typos are tolerated in a term of the given length.
func allowedEdits(length int) int {
	switch {
	case length < 4:
		return 0
	case length < 8:
		return 1
	default:
		return 2
	}
}

// nearest returns the terms in use with the smallest edit distance to stem, most frequent
// first.
func (s *Snapshot) nearest(stem string) []termID {
	edits := allowedEdits(len(stem))
	own := shapeOf(stem)
	if edits == 0 || own == 0 {
		return nil
	}
	var found []termID
	terms, shapes := s.dict.all()
	for id, shape := range shapes[:len(s.docs)] {
		if shape == 0 || !own.within(shape, edits) || s.docs[id] == 0 {
			continue
		}
		switch d := editDistance(stem, terms[id].stem, edits); {
		case d > edits:
		case d < edits:
			edits = d
			found = append(found[:0], termID(id))
		default:
			found = append(found, termID(id))
		}
	}
	slices.SortFunc(found, func(a, b termID) int {
		return cmp.Or(cmp.Compare(s.docs[b], s.docs[a]), cmp.Compare(terms[a].stem, terms[b].stem))
	})
	return found[:min(len(found), maxNearest)]
}

// editDistance returns how many insertions, deletions, replacements and swaps of adjacent
// letters turn a into b, or a value above limit if more are needed.
func editDistance(a, b string, limit int) int {
	var rows [3][maxWord + 2]int
	if len(a) > maxWord || len(b) > maxWord {
		return limit + 1
	}
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
