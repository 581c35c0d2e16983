package lean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxRead bounds how many bytes of a server's text are examined.
const maxRead = 4096

// ellipsis marks where a text was cut.
const ellipsis = "…"

// maxSummary is the maximum length of a summary in bytes.
const maxSummary = 160

// Summary returns the first sentence of a description on one line, in at most 160 bytes.
func Summary(description string) string {
	return cut(firstSentence(description), maxSummary)
}

// oneLine returns text on one line, without invisible characters and those that reorder
// others. It examines only the beginning of a long text.
func oneLine(text string) string {
	var out strings.Builder
	space := false
	for _, r := range text[:min(len(text), maxRead)] {
		switch {
		case ' ' < r && r < unicode.MaxASCII: // most of all texts
		case unicode.IsSpace(r), unicode.IsControl(r):
			space = out.Len() > 0
			continue
		case r == utf8.RuneError, !unicode.IsGraphic(r), unicode.Is(unicode.Variation_Selector, r):
			continue
		}
		if space {
			out.WriteByte(' ')
		}
		space = false
		out.WriteRune(r)
	}
	return out.String()
}

// cut shortens text to at most limit bytes, including an ellipsis, and prefers to cut at
// the end of a word. It returns "" if not even the ellipsis fits.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	end := limit - len(ellipsis)
	if end < 0 {
		return ""
	}
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if blank := strings.LastIndexByte(text[:end+1], ' '); blank > end/2 {
		end = blank
	}
	return strings.TrimRight(text[:end], " ,;:.-(") + ellipsis
}

// firstSentence returns the first sentence of text on one line.
func firstSentence(text string) string {
	text = withoutHeading(strings.TrimSpace(text[:min(len(text), maxRead)]))
	paragraph := oneLine(text)
	if end := paragraphEnd(text); end >= 0 {
		paragraph = oneLine(text[:end])
	}
	for i, r := range paragraph {
		if endsSentence(paragraph, i, r) {
			return paragraph[:i+utf8.RuneLen(r)]
		}
	}
	return paragraph
}

// withoutHeading returns text without the Markdown headings that it begins with, unless
// there is nothing else.
func withoutHeading(text string) string {
	rest := text
	for strings.HasPrefix(rest, "#") {
		_, after, _ := strings.Cut(rest, "\n")
		rest = strings.TrimSpace(after)
	}
	if rest == "" {
		return strings.TrimSpace(strings.TrimLeft(text, "#"))
	}
	return rest
}

// paragraphEnd returns the offset of the first blank line, or of a line that begins a list
// or heading, or -1.
func paragraphEnd(text string) int {
	for start := 0; ; {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			return -1
		}
		i += start
		next := strings.TrimLeft(text[i+1:], " \t\r")
		if next == "" || strings.ContainsRune("\n#-*<", rune(next[0])) || strings.HasPrefix(next, "Args:") {
			return i
		}
		start = i + 1
	}
}

// endsSentence reports whether r, which is at text[i], ends a sentence.
func endsSentence(text string, i int, r rune) bool {
	switch r {
	case '。', '！', '？':
		return true
	case '.', '!', '?':
	default:
		return false
	}
	if i+1 < len(text) && text[i+1] != ' ' {
		return false
	}
	word := text[strings.LastIndexByte(text[:i], ' ')+1 : i]
	switch strings.ToLower(strings.TrimLeft(word, "(")) {
	case "e.g", "i.e", "etc", "vs", "incl", "approx", "no", "cf":
		return i+1 == len(text)
	}
	return true
}
