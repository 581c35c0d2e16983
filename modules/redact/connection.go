package redact

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
)

// Mark stands for a secret where something is shown.
const Mark = "[redacted]"

// Connection is what of a server's configuration can hold secrets.
type Connection struct {
	Command string
	Args    []string
	Env     map[string]string
	Cwd     string
	URL     string
	Headers map[string]string
}

// references is a value that holds no secret: references only, perhaps behind the
// name of a scheme, as in "Bearer ${TOKEN}". A reference with a default is not
// shown, and $name in lower case is none.
var references = regexp.MustCompile(`^(?:(?i:bearer|basic|token) )?(?:\$(?:[A-Z_][A-Z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}))+$`)

// Masked returns the connection as it may be shown: each secret stands as [Mark],
// unless it is made of references only.
func (c Connection) Masked() Connection {
	c.Command = mask(c.Command, inText(c.Command))
	c.Args = slices.Clone(c.Args)
	for i, spans := range inArgs(c.Args) {
		c.Args[i] = mask(c.Args[i], spans)
	}
	c.Env, c.Headers = maskedValues(c.Env), maskedValues(c.Headers)
	c.URL = Address(c.URL)
	return c
}

// Address returns a URL as it may be shown.
func Address(text string) string { return mask(text, inText(text)) }

func maskedValues(values map[string]string) map[string]string {
	out := maps.Clone(values)
	for name, value := range out {
		out[name] = mask(value, []span{{0, len(value), false}})
	}
	return out
}

// Secrets returns what no message may show of the connection, whose texts are
// expanded, and of the values that were put into it: what Masked hides, and each part
// of it that can be repeated by itself. Longest first.
func (c Connection) Secrets(values ...string) []string {
	found := finding{}
	found.addSpans(c.Command, inText(c.Command))
	for i, spans := range inArgs(c.Args) {
		found.addSpans(c.Args[i], spans)
	}
	for _, given := range []map[string]string{c.Env, c.Headers} {
		for name, value := range given {
			found.add(value, saysSecret(name))
		}
	}
	found.addSpans(c.URL, inText(c.URL))
	for _, value := range values {
		found.add(value, false)
	}
	return slices.SortedFunc(maps.Keys(found), longestFirst)
}

func longestFirst(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }
