package redact

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// shortSecret is the length, in bytes, below which a value is redacted only as a whole
// word: replacing every "1" would destroy the message.
const shortSecret = 4

// Redactor removes the secrets of one server from texts.
type Redactor struct {
	short  []string        // longest first
	long   func() *needles // built on first use: most servers never report an error
	margin int             // size of the longest secret, escaped, in bytes
}

// New returns a Redactor of secrets. Each line of a secret of several lines is a secret,
// too, because output is cut into lines.
func New(secrets []string) *Redactor {
	var values []string
	for _, s := range secrets {
		values = append(values, s)
		if strings.ContainsAny(s, "\r\n") {
			values = append(values, slices.DeleteFunc(strings.FieldsFunc(s, isLineEnd), isShort)...)
		}
	}
	values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
	slices.SortFunc(values, longestFirst)
	values = slices.Compact(values)
	first := slices.IndexFunc(values, isShort)
	if first < 0 {
		first = len(values)
	}
	r := &Redactor{short: values[first:], long: sync.OnceValue(func() *needles { return newNeedles(values[:first]) })}
	if len(values) > 0 {
		const perByte = len(`\\u0000`) // escaped twice
		r.margin = perByte * len(values[0])
	}
	return r
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

func isShort(value string) bool { return len(value) < shortSecret }

// Redact returns text without the secrets, however they are escaped in it.
func (r *Redactor) Redact(text string) string { return r.Within(text, 0, len(text)) }

// excerptSize is the most bytes of a text that are shown.
const excerptSize = 64 << 10

// Excerpt returns at most the first 64 KiB of text without the secrets. No part remains
// of a secret that extends beyond the end.
func (r *Redactor) Excerpt(text []byte) string {
	end := min(len(text), excerptSize)
	return r.Within(string(text[:min(len(text), end+r.margin)]), 0, end)
}

// Margin returns the size of the longest secret, escaped, in bytes. A text that was cut
// may begin or end with a part of a secret of that size.
func (r *Redactor) Margin() int { return r.margin }

// Within returns text[from:to] with the secrets replaced. No part remains of secrets
// that overlap, begin before from, or end after to.
func (r *Redactor) Within(text string, from, to int) string {
	covered := r.cover(text)
	if covered == nil {
		return text[from:to]
	}
	var out strings.Builder
	for i := from; i < to; {
		end := i
		for end < to && covered[end] == covered[i] {
			end++
		}
		if covered[i] {
			out.WriteString(Mark)
		} else {
			out.WriteString(text[i:end])
		}
		i = end
	}
	return out.String()
}

// cover reports for each byte of text whether it belongs to a secret, escaped or not. It
// returns nil if none does.
func (r *Redactor) cover(text string) []bool {
	if r.margin == 0 {
		return nil
	}
	var covered []bool
	eachLayer(text, func(l layer) {
		r.eachMatch(l.text, func(start, end int) {
			if covered == nil {
				covered = make([]bool, len(text))
			}
			markCovered(covered[l.originalOffset(start):l.originalOffset(end)])
		})
	})
	return covered
}

func markCovered(stretch []bool) {
	for i := range stretch {
		stretch[i] = true
	}
}

// eachMatch calls found with the start and end of each secret in text.
func (r *Redactor) eachMatch(text string, found func(start, end int)) {
	for _, secret := range r.short {
		eachWholeWord(text, secret, found)
	}
	r.long().eachMatch(text, found)
}

// eachWholeWord calls found with the start and end of each place in text where a short
// secret is not part of a word.
func eachWholeWord(text, secret string, found func(start, end int)) {
	for from := 0; ; {
		i := strings.Index(text[from:], secret)
		if i < 0 {
			return
		}
		start, end := from+i, from+i+len(secret)
		from = start + 1
		if !isWordByteAt(text, start-1) && !isWordByteAt(text, end) {
			found(start, end)
		}
	}
}

func isWordByteAt(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	b := text[i]
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// Printable quotes characters that could act on a terminal and cuts the text after limit
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
