package redact

import (
	"cmp"
	"slices"
	"strings"
)

// span is a stretch of a text that is secret.
type span struct {
	from, to int
	named    bool // what stands before it says so
}

// mask replaces the spans of text that hold more than references.
func mask(text string, spans []span) string {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s span) bool {
		return s.from == s.to || references.MatchString(text[s.from:s.to])
	})
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var out strings.Builder
	done := 0
	for _, s := range spans {
		if s.from >= done {
			out.WriteString(text[done:s.from] + Mark)
		}
		done = max(done, s.to)
	}
	return out.String() + text[done:]
}

// moved returns the spans of a part of a text as those of the text, in which the
// part begins at offset.
func moved(spans []span, offset int) []span {
	for i := range spans {
		spans[i].from += offset
		spans[i].to += offset
	}
	return spans
}

// trimmed is the span without the space and the quotes around it.
func trimmed(text string, s span) span {
	blank := func(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }
	for s.from < s.to && blank(text[s.from]) {
		s.from++
	}
	for s.from < s.to && blank(text[s.to-1]) {
		s.to--
	}
	if s.to-s.from >= 2 && (text[s.from] == '"' || text[s.from] == '\'') && text[s.to-1] == text[s.from] {
		s.from, s.to = s.from+1, s.to-1
	}
	return s
}
