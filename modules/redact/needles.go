package redact

import (
	"encoding/base64"
	"encoding/hex"
	"math/bits"
	"slices"
	"strings"
)

// needles finds many texts in one pass over another. It looks up the first bytes at
// each position.
type needles struct {
	forms   map[string]needle
	lengths map[uint32][]int // lengths of the texts with these first bytes
	begins  []uint64         // bit set of hashes of first bytes: rules out most positions
	shift   int              // of the hash
}

func newNeedles(secrets []string) *needles {
	n := &needles{forms: map[string]needle{}, lengths: map[uint32][]int{}}
	for _, secret := range secrets {
		for _, form := range formsOf(secret) {
			n.add(form)
		}
	}
	const word, sparse = 6, 4 // log2 of the bits a word and of the bits a key
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
	if key, length := prefixKey(form.text), len(form.text); !slices.Contains(n.lengths[key], length) {
		n.lengths[key] = append(n.lengths[key], length)
	}
}

// prefixKey returns the first four bytes of text, whose length is at least shortSecret.
func prefixKey(text string) uint32 {
	return uint32(text[0])<<24 | uint32(text[1])<<16 | uint32(text[2])<<8 | uint32(text[3])
}

func (n *needles) hash(key uint32) uint32 { return key * 0x9E3779B1 >> n.shift } // Fibonacci's

// eachMatch calls found with the start and end of each needle in text. If two overlap,
// the second is reported from the end of the first.
func (n *needles) eachMatch(text string, found func(start, end int)) {
	if len(n.forms) == 0 || isShort(text) {
		return
	}
	done := 0
	for at, key := 0, prefixKey(text); ; at++ {
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

// longestAt returns the extent of the needles that begin at a position, empty if none
// does.
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

// needle is a form of a secret to search for.
type needle struct {
	text          string
	before, after bool // it is base64 whose neighbor encodes both secret and other bits
}

// maxEncoded bounds the length of secrets that are searched for in base64, too, which
// takes ten times their length. Longer secrets consist of lines, which are shorter.
const maxEncoded = 16 << 10

// formsOf returns the forms of a secret that unescaping does not undo: itself, with + for
// spaces, in hexadecimal, and in base64 of both alphabets at every alignment.
func formsOf(secret string) []needle {
	forms := []needle{{text: secret}}
	if len(secret) < shortSecret || len(secret) > maxEncoded {
		return forms
	}
	if strings.Contains(secret, " ") {
		forms = append(forms, needle{text: strings.ReplaceAll(secret, " ", "+")})
	}
	digits := hex.EncodeToString([]byte(secret))
	forms = append(forms, needle{text: digits}, needle{text: strings.ToUpper(digits)})
	for offset := range 3 {
		forms = append(forms, base64Needle(secret, base64.RawStdEncoding, offset), base64Needle(secret, base64.RawURLEncoding, offset))
	}
	return slices.Compact(forms)
}

// base64Needle returns the base64 of a secret that is preceded by offset bytes: the
// characters that depend on the secret alone.
func base64Needle(secret string, alphabet *base64.Encoding, offset int) needle {
	const bits = 6 // of a character
	text := alphabet.EncodeToString(append(make([]byte, offset), secret...))
	from, to := (8*offset+bits-1)/bits, 8*(offset+len(secret))/bits
	return needle{text: text[from:to], before: 8*offset%bits != 0, after: 8*(offset+len(secret))%bits != 0}
}

// extent returns the start and end of a needle found at start, including the base64
// characters that encode the rest of its first and last byte, and the padding.
func (n needle) extent(text string, start int) (from, to int) {
	from, to = start, start+len(n.text)
	if n.before && from > 0 && isBase64(text[from-1]) {
		from--
	}
	if n.after && to < len(text) && isBase64(text[to]) {
		to++
	}
	for (n.before || n.after) && to < len(text) && text[to] == '=' {
		to++
	}
	return from, to
}

func isBase64(b byte) bool {
	return b == '+' || b == '/' || b == '-' || b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
