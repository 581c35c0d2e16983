package admin

import (
	"strconv"
	"strings"
)

// Harmless returns text on one line, with what could act on a terminal escaped.
func Harmless(text string) string {
	var out strings.Builder
	for _, r := range text {
		if strconv.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		out.WriteString(quoted[1 : len(quoted)-1])
	}
	return out.String()
}

// summary is the beginning of a text of any length: its first line.
func summary(text string) string {
	const most = 100 // characters
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > most {
		line, more = string(runes[:most]), true
	}
	if more {
		line += "…"
	}
	return Harmless(line)
}
