package cli

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxQuoted is how many bytes of a name [Quote] prints.
const maxQuoted = 300

// Quote returns text for a terminal: unchanged if all of it is printable, as a Go
// string literal otherwise. Text that is too long to read is truncated.
func Quote(text string) string { return Printable(Truncate(text, maxQuoted)) }

// Printable returns text unchanged if all of it is printable, and as a Go string
// literal otherwise: control characters act on a terminal.
func Printable(text string) string {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// Truncate returns text, or as many whole characters from its beginning as fit into
// limit bytes, followed by "...".
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > limit-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// Plain returns text with a ? for each character that could act on a terminal. Lines
// and tabs stay.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || strconv.IsPrint(r) {
			return r
		}
		return '?'
	}, text)
}
