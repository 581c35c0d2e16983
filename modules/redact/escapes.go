package redact

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// layer is a text below some escapes, and where its bytes stand in the original.
type layer struct {
	text   string
	origin []int // of each byte and of the end; nil when nothing was escaped
}

func plainLayer(text string) layer { return layer{text: text} }

// at returns where the byte at i stands in the original.
func (l layer) at(i int) int {
	if l.origin == nil {
		return i
	}
	return l.origin[i]
}

// unescaped returns the text that l is an escaped form of, as JSON, Go, Python
// and JavaScript write it. What is no escape stands for itself.
func (l layer) unescaped() layer {
	var out strings.Builder
	origin := make([]int, 0, len(l.text)+1)
	for i := 0; i < len(l.text); {
		plain, size := unescape(l.text[i:])
		out.WriteString(plain)
		for range len(plain) {
			origin = append(origin, l.at(i))
		}
		i += size
	}
	return layer{out.String(), append(origin, l.at(len(l.text)))}
}

// unescape returns what text begins with, and how long that is.
func unescape(text string) (plain string, size int) {
	if text[0] != '\\' || len(text) == 1 {
		return text[:1], 1
	}
	switch c := text[1]; c {
	case 'u':
		return unescapeRune(text, 4)
	case 'U':
		return unescapeRune(text, 8)
	case 'x':
		if b, ok := hex(text, 2, 2); ok {
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

// unescapeRune reads an escape of that many digits, or two of them that are
// surrogates.
func unescapeRune(text string, digits int) (plain string, size int) {
	n, ok := hex(text, 2, digits)
	if !ok {
		return text[:1], 1
	}
	size = 2 + digits
	if utf16.IsSurrogate(rune(n)) && strings.HasPrefix(text[size:], `\u`) {
		if low, ok := hex(text, size+2, 4); ok {
			if r := utf16.DecodeRune(rune(n), rune(low)); r != utf8.RuneError {
				return string(r), size + 6
			}
		}
	}
	return string(rune(n)), size
}

// hex reads the digits of text at i.
func hex(text string, i, digits int) (n uint64, ok bool) {
	if len(text) < i+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(text[i:i+digits], 16, 32)
	return n, err == nil
}
