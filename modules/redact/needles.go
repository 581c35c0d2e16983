package redact

import (
	"math/bits"
	"slices"
)

// needles finds many texts in one pass over another. Where one of them may begin is
// told by its first bytes.
type needles struct {
	forms   map[string]needle
	lengths map[uint32][]int // of those with these first bytes
	begins  []uint64         // a set of hashes of first bytes: most of a text needs no more
	shift   int              // of such a hash
}

func newNeedles(secrets []string) *needles {
	n := &needles{forms: map[string]needle{}, lengths: map[uint32][]int{}}
	for _, secret := range secrets {
		for _, form := range formsOf(secret) {
			n.add(form)
		}
	}
	const word, sparse = 6, 4 // logarithms: of bits a word, and of bits a key
	size := word + sparse + bits.Len(uint(len(n.lengths)))
	n.begins, n.shift = make([]uint64, 1<<(size-word)), 32-size
	for key := range n.lengths {
		hash := n.hash(key)
		n.begins[hash>>word] |= 1 << (hash & 63)
	}
	return n
}

func (n *needles) add(form needle) {
	n.forms[form.text] = form
	if key, length := firstOf(form.text), len(form.text); !slices.Contains(n.lengths[key], length) {
		n.lengths[key] = append(n.lengths[key], length)
	}
}

// firstOf returns the first bytes of a text, which has at least shortSecret.
func firstOf(text string) uint32 {
	return uint32(text[0])<<24 | uint32(text[1])<<16 | uint32(text[2])<<8 | uint32(text[3])
}

func (n *needles) hash(key uint32) uint32 { return key * 0x9E3779B1 >> n.shift } // Fibonacci's

// places calls found with where they stand in text, from start to end. Where two of
// them overlap, the second begins where the first ends.
func (n *needles) places(text string, found func(start, end int)) {
	if len(n.forms) == 0 || isShort(text) {
		return
	}
	done := 0
	for at, key := 0, firstOf(text); ; at++ {
		if hash := n.hash(key); n.begins[hash>>6]>>(hash&63)&1 != 0 {
			if start, end := n.longestAt(text, at, key); max(start, done) < end {
				found(max(start, done), end)
				done = end
			}
		}
		if at+shortSecret == len(text) {
			return
		}
		key = key<<8 | uint32(text[at+shortSecret])
	}
}

// longestAt returns the extent of what begins at a place; nothing if nothing does.
func (n *needles) longestAt(text string, at int, key uint32) (from, to int) {
	from = at
	for _, length := range n.lengths[key] {
		if at+length > len(text) {
			continue
		}
		if form, found := n.forms[text[at:at+length]]; found {
			start, end := form.extent(text, at)
			from, to = min(from, start), max(to, end)
		}
	}
	return from, to
}
