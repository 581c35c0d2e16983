package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxEscapes is the number of times that a secret may have been escaped and is still
// recognized, as in JSON that is quoted in an error that is itself JSON.
const maxEscapes = 3

// eachLayer calls look with a text and with everything that unescaping it yields, in
// any order of the escape syntaxes.
func eachLayer(text string, look func(layer)) {
	layers, seen := []layer{{text: text}}, map[string]bool{text: true}
	for depth := 0; ; depth++ {
		for _, l := range layers {
			look(l)
		}
		if depth == maxEscapes {
			return
		}
		layers = unescaped(layers, seen)
	}
}

// unescaped returns the layers one unescaping below, except for texts seen before.
func unescaped(layers []layer, seen map[string]bool) (below []layer) {
	for _, l := range layers {
		for _, e := range escapes {
			if next, found := l.unescaped(e); found && !seen[next.text] {
				seen[next.text] = true
				below = append(below, next)
			}
		}
	}
	return below
}

// escapeSyntax is a way to escape characters, each with a mark first. decode returns the
// character at the start of text and the length of its escape, 1 if it is not an escape.
type escapeSyntax struct {
	mark   byte
	decode func(text string) (plain string, size int)
}

var escapes = []escapeSyntax{{'\\', unescape}, {'%', unescapePercent}, {'&', unescapeHTML}}

// layer is an unescaped text that knows where its bytes are in the original.
type layer struct {
	text   string
	origin []int32 // offset of each byte and of the end; nil if nothing was escaped
}

// originalOffset returns the offset in the original of the byte at i.
func (l layer) originalOffset(i int) int {
	if l.origin == nil {
		return i
	}
	return int(l.origin[i])
}

// unescaped returns l unescaped by e; found is false if it contains no escape.
// Everything else is copied.
func (l layer) unescaped(e escapeSyntax) (below layer, found bool) {
	if strings.IndexByte(l.text, e.mark) < 0 {
		return l, false
	}
	out, origin := make([]byte, 0, len(l.text)), make([]int32, 0, len(l.text)+1)
	for i := 0; i < len(l.text); {
		plain, size := l.text[i:i+1], 1
		if l.text[i] == e.mark {
			plain, size = e.decode(l.text[i:])
		}
		at := int32(l.originalOffset(i))
		out = append(out, plain...)
		for range len(plain) {
			origin = append(origin, at)
		}
		i += size
	}
	return layer{string(out), append(origin, int32(l.originalOffset(len(l.text))))}, len(out) < len(l.text)
}

// unescape decodes the escape at the start of text as JSON, Go, Python and JavaScript
// write it, and returns its length.
func unescape(text string) (plain string, size int) {
	if len(text) == 1 {
		return text[:1], 1
	}
	switch c := text[1]; c {
	case 'u':
		return unescapeRune(text, 4)
	case 'U':
		return unescapeRune(text, 8)
	case 'x':
		if b, ok := hexAt(text, 2, 2); ok {
			return string([]byte{byte(b)}), 4
		}
		return text[:1], 1
	default:
		if i := strings.IndexByte("abfnrtv", c); i >= 0 {
			return "\a\b\f\n\r\t\v"[i : i+1], 2
		}
		return text[1:2], 2 // a quote, a slash, a backslash
	}
}

// unescapeRune decodes an escape with that many digits, or a surrogate pair.
func unescapeRune(text string, digits int) (plain string, size int) {
	n, ok := hexAt(text, 2, digits)
	if !ok {
		return text[:1], 1
	}
	size = 2 + digits
	if utf16.IsSurrogate(rune(n)) && strings.HasPrefix(text[size:], `\u`) {
		if low, ok := hexAt(text, size+2, 4); ok {
			if r := utf16.DecodeRune(rune(n), rune(low)); r != utf8.RuneError {
				return string(r), size + 6
			}
		}
	}
	return string(rune(n)), size
}

// hexAt parses the hexadecimal digits of text at i.
func hexAt(text string, i, digits int) (n uint64, ok bool) {
	if len(text) < i+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(text[i:i+digits], 16, 32)
	return n, err == nil
}

// unescapePercent decodes the escape at the start of text as URLs write it, and returns
// its length.
func unescapePercent(text string) (plain string, size int) {
	if b, ok := hexAt(text, 1, 2); ok {
		return string([]byte{byte(b)}), 3
	}
	return text[:1], 1
}

// unescapeHTML decodes the character reference at the start of text as HTML writes it,
// and returns its length.
func unescapeHTML(text string) (plain string, size int) {
	const longest = len("&#x10FFFF;")
	if end := strings.IndexByte(text[:min(len(text), longest)], ';'); end > 0 {
		if plain := characterOf(text[1:end]); plain != "" {
			return plain, end + 1
		}
	}
	return text[:1], 1
}

// characterOf returns the character of an HTML character reference, "" if it is not one
// that programs write.
func characterOf(name string) string {
	switch name {
	case "amp":
		return "&"
	case "lt":
		return "<"
	case "gt":
		return ">"
	case "quot":
		return `"`
	case "apos":
		return "'"
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(name), "#x"); ok {
		return runeOf(digits, 16)
	}
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		return runeOf(digits, 10)
	}
	return ""
}

func runeOf(digits string, base int) string {
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > unicode.MaxRune {
		return ""
	}
	return string(rune(n))
}
