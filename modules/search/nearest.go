package search

import "slices"

// Corrections of a word that no tool has.
const (
	maxCorrected = 8 // words of a query that are corrected
	maxNearest   = 3 // terms that one is corrected to
)

// allowedEdits returns how many typing errors a term of that length may have.
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

// nearest returns the terms in use that differ least from stem, those that most
// tools have first.
func (s *Snapshot) nearest(stem string) []termID {
	edits := allowedEdits(len(stem))
	if edits == 0 || !isLetters(stem) {
		return nil
	}
	letters := letterSet(stem)
	var found []termID
	terms := s.dict.all()
	for id, n := range s.docs {
		t := &terms[id]
		if n == 0 || max(len(t.stem), len(stem))-min(len(t.stem), len(stem)) > edits ||
			differ(t.letters, letters) > 2*edits || len(t.stem) < 3 || !isLetters(t.stem) {
			continue
		}
		switch d := editDistance(stem, t.stem, edits); {
		case d > edits:
		case d < edits:
			edits = d
			found = append(found[:0], termID(id))
		default:
			found = append(found, termID(id))
		}
	}
	slices.SortFunc(found, func(a, b termID) int {
		if s.docs[a] != s.docs[b] {
			return int(s.docs[b]) - int(s.docs[a])
		}
		return compareStems(terms[a], terms[b])
	})
	return found[:min(len(found), maxNearest)]
}

func compareStems(a, b term) int {
	if a.stem < b.stem {
		return -1
	}
	return 1
}

func isLetters(word string) bool {
	for i := range len(word) {
		if c := word[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

// editDistance returns how many letters are to be inserted, deleted, replaced or
// swapped with their neighbor to make b of a, or more than limit when it is more
// than that.
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
