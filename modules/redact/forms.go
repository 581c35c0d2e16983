package redact

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// needle is a form of a secret that is looked for.
type needle struct {
	text          string
	before, after bool // it is base64, and shares its neighbor with what is not secret
}

// maxEncoded bounds the secrets that are looked for in base64 as well, which takes ten
// times their length. Longer ones have lines.
const maxEncoded = 16 << 10

// formsOf returns the forms in which a secret may be repeated that are not undone by
// layers: as it is, with + for a space, and in hexadecimal and base64, of both alphabets,
// wherever it stands in what was encoded.
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
		forms = append(forms, encoded(secret, base64.RawStdEncoding, offset), encoded(secret, base64.RawURLEncoding, offset))
	}
	return slices.Compact(forms)
}

// encoded is the base64 of a secret that so many bytes stand before: those characters
// that depend on nothing else.
func encoded(secret string, alphabet *base64.Encoding, offset int) needle {
	const bits = 6 // of a character
	text := alphabet.EncodeToString(append(make([]byte, offset), secret...))
	from, to := (8*offset+bits-1)/bits, 8*(offset+len(secret))/bits
	return needle{text: text[from:to], before: 8*offset%bits != 0, after: 8*(offset+len(secret))%bits != 0}
}

// extent returns where a needle that stands at start begins and ends, with the characters of
// base64 that hold the rest of its first and its last byte, and the padding.
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
