package redact

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

const (
	redacted = "[redacted]"
	// shortSecret is the length, in bytes, below which a value is redacted
	// only where it stands alone: replacing every "1" would leave no message.
	shortSecret = 4
)

// maxEscapes is how often a secret may have been escaped and still be known, as
// in JSON that is quoted in an error that is JSON itself.
const maxEscapes = 3

// Redactor removes the secrets of one server from texts.
type Redactor struct {
	secrets []string
	margin  int // bytes that the longest of them may take, escaped
}

// New returns a Redactor of secrets. Those of several lines are known by
// each of their lines as well, since output is cut into lines.
func New(secrets []string) *Redactor {
	var values []string
	for _, s := range secrets {
		values = append(values, s)
		if strings.ContainsAny(s, "\r\n") {
			values = append(values, strings.FieldsFunc(s, isLineEnd)...)
		}
	}
	values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	r := &Redactor{secrets: slices.Compact(values)}
	if len(r.secrets) > 0 {
		const perByte = len(`\\u0000`) // escaped twice
		r.margin = perByte * len(r.secrets[0])
	}
	return r
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

// Redact returns text without the secrets, however they are escaped in it.
func (r *Redactor) Redact(text string) string { return r.Within(text, 0, len(text)) }

// excerptSize is more than anybody is shown of a text, in bytes.
const excerptSize = 64 << 10

// Excerpt returns the beginning of text, at most 64 KiB of it, without the secrets.
// A secret that goes on behind it leaves no part of itself.
func (r *Redactor) Excerpt(text []byte) string {
	end := min(len(text), excerptSize)
	return r.Within(string(text[:min(len(text), end+r.margin)]), 0, end)
}

// Margin is how many bytes the longest secret may take, escaped: a text that is cut
// may begin or end with part of one.
func (r *Redactor) Margin() int { return r.margin }

// Within returns text[from:to] with each stretch that secrets cover replaced:
// overlapping ones, and those that begin before from or end after to, leave no
// rest.
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
			out.WriteString(redacted)
		} else {
			out.WriteString(text[i:end])
		}
		i = end
	}
	return out.String()
}

// cover marks the bytes of text that belong to secrets; nil when none does. It
// looks below the escapes, too.
func (r *Redactor) cover(text string) []bool {
	var covered []bool
	layer := plainLayer(text)
	for range maxEscapes + 1 {
		for _, secret := range r.secrets {
			for start, end := range places(layer.text, secret) {
				if covered == nil {
					covered = make([]bool, len(text))
				}
				mark(covered[layer.at(start):layer.at(end)])
			}
		}
		if strings.IndexByte(layer.text, '\\') < 0 {
			break
		}
		layer = layer.unescaped()
	}
	return covered
}

func mark(stretch []bool) {
	for i := range stretch {
		stretch[i] = true
	}
}

// places yields where secret stands in text, from start to end. Where two of
// its occurrences overlap, the second begins where the first ends.
func places(text, secret string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		for from, done := 0, 0; ; {
			i := strings.Index(text[from:], secret)
			if i < 0 {
				return
			}
			start, end := from+i, from+i+len(secret)
			from = start + 1
			if len(secret) < shortSecret && (wordAt(text, start-1) || wordAt(text, end)) {
				continue
			}
			if !yield(max(start, done), end) {
				return
			}
			done = end
		}
	}
}

func wordAt(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	b := text[i]
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
