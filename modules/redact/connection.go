package redact

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Mark replaces a secret in texts that are shown.
const Mark = "[redacted]"

// Connection is the part of a server's configuration that may contain secrets.
type Connection struct {
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string
	URL     string
	Headers map[string]string
}

// referencesPattern matches a value of references only, perhaps after a scheme, as in
// "Bearer ${TOKEN}". Such a value contains no secret. A reference with a default does not
// match, because the default may be secret; nor does $name, which is not a reference.
var referencesPattern = regexp.MustCompile(`^(?:(?i:bearer|basic|token) )?(?:\$(?:[A-Z_][A-Z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}))+$`)

// Masked returns the connection as it may be shown: each secret is replaced by [Mark],
// unless it consists of references only.
func (c Connection) Masked() Connection {
	c.Command = mask(c.Command, secretsInText(c.Command))
	c.Args = slices.Clone(c.Args)
	for i, spans := range secretsInArgs(c.Args) {
		c.Args[i] = mask(c.Args[i], spans)
	}
	c.Env, c.Headers = maskedValues(c.Env), maskedValues(c.Headers)
	c.URL = Address(c.URL)
	return c
}

// Address returns a URL as it may be shown, with each secret replaced by [Mark].
func Address(text string) string { return mask(text, secretsInText(text)) }

func maskedValues(values map[string]string) map[string]string {
	out := maps.Clone(values)
	for name, value := range out {
		out[name] = mask(value, []span{{0, len(value), false}})
	}
	return out
}

// Secrets returns the texts that no message may contain, longest first: what Masked
// hides of the connection, which must be expanded, the values that were substituted into
// it, and each part of these that may be repeated on its own.
func (c Connection) Secrets(values ...string) []string {
	found := secretSet{}
	found.addSpans(c.Command, secretsInText(c.Command))
	for i, spans := range secretsInArgs(c.Args) {
		found.addSpans(c.Args[i], spans)
	}
	for _, given := range []map[string]string{c.Env, c.Headers} {
		for name, value := range given {
			found.add(value, isSecretName(name))
		}
	}
	found.addSpans(c.URL, secretsInText(c.URL))
	for _, value := range values {
		found.add(value, false)
	}
	return slices.SortedFunc(maps.Keys(found), longestFirst)
}

func longestFirst(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }

// span is a secret part of a text.
type span struct {
	from, to int
	labeled  bool // a name before it says that it is secret
}

// mask replaces each span of text that contains more than references by Mark.
func mask(text string, spans []span) string {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s span) bool {
		return s.from == s.to || referencesPattern.MatchString(text[s.from:s.to])
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

// shiftSpans adds offset to spans: those of a part of a text become those of the text.
func shiftSpans(spans []span, offset int) []span {
	for i := range spans {
		spans[i].from += offset
		spans[i].to += offset
	}
	return spans
}

// trimSpan returns the span without the space and the quotes around its contents.
func trimSpan(text string, s span) span {
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
