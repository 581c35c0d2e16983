package child

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

const (
	redacted = "[redacted]"
	// shortSecret is the length, in bytes, below which a value is redacted
	// only where it stands alone: replacing every "1" would leave no message.
	shortSecret = 4
)

// redactor removes the secrets of one server from texts.
type redactor struct {
	secrets []string
	longest int // bytes
}

// newRedactor returns a redactor of secrets. Those of several lines are known
// by each of their lines as well, since output is cut into lines, and all of
// them as %q and JSON write them, since messages quote what they name.
func newRedactor(secrets []string) *redactor {
	var values []string
	for _, s := range secrets {
		values = append(values, s, inner(strconv.Quote(s)), inner(strconv.QuoteToASCII(s)),
			inner(string(wire.AppendQuoted(nil, s))))
		if strings.ContainsAny(s, "\r\n") {
			values = append(values, strings.FieldsFunc(s, isLineEnd)...)
		}
	}
	values = slices.DeleteFunc(values, func(v string) bool { return v == "" })
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	r := &redactor{secrets: slices.Compact(values)}
	if len(r.secrets) > 0 {
		r.longest = len(r.secrets[0])
	}
	return r
}

// inner is a quoted text without its quotes.
func inner(quoted string) string { return quoted[1 : len(quoted)-1] }

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }

func (r *redactor) redact(text string) string { return r.redactFrom(text, 0) }

// redactFrom returns text[from:] with each stretch that secrets cover
// replaced: overlapping ones, and one that begins before from, leave no rest.
func (r *redactor) redactFrom(text string, from int) string {
	covered := r.cover(text)
	if covered == nil {
		return text[from:]
	}
	var out strings.Builder
	for i := from; i < len(text); {
		end := i
		for end < len(text) && covered[end] == covered[i] {
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

// cover marks the bytes of text that belong to secrets; nil when none does.
func (r *redactor) cover(text string) []bool {
	var covered []bool
	for _, secret := range r.secrets {
		for start, end := range places(text, secret) {
			if covered == nil {
				covered = make([]bool, len(text))
			}
			for i := start; i < end; i++ {
				covered[i] = true
			}
		}
	}
	return covered
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
