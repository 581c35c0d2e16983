package search

import (
	"math/bits"
	"sync"
)

// termID numbers the terms of a dictionary.
type termID uint32

// dictionary numbers terms, the stems of words. Numbers are given, and never
// taken back: an index with too many that nothing uses starts another one.
type dictionary struct {
	mu     sync.RWMutex
	ids    map[string]termID
	terms  []term
	shapes []shape // of the terms' stems
}

// term is a stem, with what it was first seen as.
type term struct{ stem, word string }

func newDictionary() *dictionary { return &dictionary{ids: map[string]termID{}} }

// add returns the number of a term, a new one if need be.
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

// all returns the terms so far and their shapes, by their numbers. They do not
// change.
func (d *dictionary) all() ([]term, []shape) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.terms, d.shapes
}

// shape is which of a to z a word consists of, in the low 26 bits, and above them
// how long it is, as far as that fits. It is 0 for a word with anything else in it.
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

// within reports whether so many edits might make one word of the other: each
// makes one of length, and two of letters that only one word has, at most.
func (s shape) within(other shape, edits int) bool {
	length := int(s>>lengthShift) - int(other>>lengthShift)
	return -edits <= length && length <= edits &&
		bits.OnesCount32(uint32(s^other)&letterMask) <= 2*edits
}
