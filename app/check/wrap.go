package check

import (
	"strings"
	"unicode"

	wide "golang.org/x/text/width"
)

// width returns how many columns of a terminal text takes, escape sequences excluded.
func width(text string) int {
	columns := 0
	escape := false
	for _, r := range text {
		switch {
		case escape:
			escape = r != 'm'
		case r == '\x1b':
			escape = true
		default:
			columns += columnsOf(r)
		}
	}
	return columns
}

// columnsOf follows UAX 11; combining marks take no column of their own.
func columnsOf(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return 0
	}
	switch wide.LookupRune(r).Kind() {
	case wide.EastAsianWide, wide.EastAsianFullwidth:
		return 2
	case wide.Neutral, wide.EastAsianAmbiguous, wide.EastAsianNarrow, wide.EastAsianHalfwidth:
	}
	return 1
}

// wrap breaks text into lines of at most limit columns, between words where possible.
// A limit of 0 means none.
func wrap(text string, limit int) []string {
	if limit <= 0 || width(text) <= limit {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.SplitSeq(text, " ") {
		if line != "" && width(line)+1+width(word) <= limit {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for line = word; width(line) > limit && fitting(line, limit) < len(line); {
			head := fitting(line, limit)
			lines = append(lines, line[:head])
			line = line[head:]
		}
	}
	return append(lines, line)
}

// fitting returns how many bytes of text, at least one character, fit into limit
// columns.
func fitting(text string, limit int) int {
	columns := 0
	for i, r := range text {
		if columns += columnsOf(r); columns > limit && i > 0 {
			return i
		}
	}
	return len(text)
}
