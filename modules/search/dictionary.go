package search

import (
	"math/bits"
	"sync"
)

// termID identifies a term in a dictionary.
type termID uint32

// dictionary assigns ids to terms, the stems of words. Ids are never reused: an index whose
// dictionary holds too many unused terms starts a new one.
type dictionary struct {
	mu     sync.RWMutex
	ids    map[string]termID
	terms  []term
	shapes []shape // of the stems, by termID
}

// term is a stem with the word it was first seen as.
type term struct{ stem, word string }

func newDictionary() *dictionary { return &dictionary{ids: map[string]termID{}} }

// add returns the id of a term, assigning one if necessary.
func (d *dictionary) add(t term) termID {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.ids[t.stem]
	if !ok {
		id = termID(len(d.terms))
		d.terms = append(d.terms, t)
		d.shapes = append(d.shapes, shapeOf(t.stem))
		d.ids[t.stem] = id
	}
	return id
}

func (d *dictionary) find(stem string) (termID, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	id, ok := d.ids[stem]
	return id, ok
}

// all returns the current terms and their shapes, indexed by termID. The slices are never
// modified.
func (d *dictionary) all() ([]term, []shape) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.terms, d.shapes
}

// shape is the set of letters a to z in a word, in the low 26 bits, with its length above
// them, capped to fit. It is 0 for a word with any other character.
type shape uint32

const (
	lengthShift = 26
	letterMask  = 1<<lengthShift - 1
	maxShaped   = 1<<(32-lengthShift) - 1
)

func shapeOf(word string) shape {
	var s shape
	for i := range len(word) {
		c := word[i]
		if c < 'a' || c > 'z' {
			return 0
		}
		s |= 1 << (c - 'a')
	}
	return s | shape(min(len(word), maxShaped))<<lengthShift
}

// within reports whether two words might be at most that many edits apart: each edit
// changes the length by at most one and the set of letters by at most two.
func (s shape) within(other shape, edits int) bool {
	length := int(s>>lengthShift) - int(other>>lengthShift)
	return -edits <= length && length <= edits &&
		bits.OnesCount32(uint32(s^other)&letterMask) <= 2*edits
}
