package redact

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Printable quotes what could act on a terminal and cuts the text at limit
// characters.
func Printable(text string, limit int) string {
	text = strings.TrimRight(text, "\r")
	var out strings.Builder
	for count := 0; text != ""; count++ {
		if count == limit {
			out.WriteString("...")
			break
		}
		c, size := utf8.DecodeRuneInString(text)
		if strconv.IsPrint(c) && (c != utf8.RuneError || size > 1) {
			out.WriteString(text[:size])
		} else {
			quoted := strconv.QuoteToASCII(text[:size])
			out.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return out.String()
}
