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
	mu    sync.RWMutex
	ids   map[string]termID
	terms []term
}

// term is a stem, with what it was first seen as.
type term struct {
	stem, word string
	letters    uint32 // which of a to z the stem has
}

func newDictionary() *dictionary { return &dictionary{ids: map[string]termID{}} }

// add returns the number of a term, a new one if need be.
func (d *dictionary) add(t term) termID {
	d.mu.Lock()
	defer d.mu.Unlock()
	id, ok := d.ids[t.stem]
	if !ok {
		id = termID(len(d.terms))
		d.terms = append(d.terms, t)
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

// all returns the terms so far, by their numbers. They do not change.
func (d *dictionary) all() []term {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.terms
}

func newTerm(stem, word string) term {
	if stem == word {
		word = stem // one string in memory
	}
	return term{stem: stem, word: word, letters: letterSet(stem)}
}

func letterSet(word string) uint32 {
	var set uint32
	for i := range len(word) {
		if c := word[i]; 'a' <= c && c <= 'z' {
			set |= 1 << (c - 'a')
		}
	}
	return set
}

// differ returns how many letters only one of two sets has: each edit makes two
// at most.
func differ(a, b uint32) int { return bits.OnesCount32(a ^ b) }
