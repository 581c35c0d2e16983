package clienttable

import (
	"fmt"
	"strings"
)

// NamingRule is the rule for tool names of a client or of the API of its models. The
// usual source is an error that quotes a pattern, such as ^[a-zA-Z0-9_-]{1,64}$.
type NamingRule struct {
	// ExtraCharacters are accepted in addition to letters, digits and "_".
	ExtraCharacters string
	// MaxLength is the longest name, in characters, without the prefix that the client adds
	// for a server with the key [ServerKey].
	MaxLength int
	// LetterFirst reports that a name must begin with a letter or "_".
	LetterFirst bool
	// Sources are the sources of the rule and of the client's names.
	Sources []string
}

// ServerKey is the key of the aggregator in the configuration of clients. Several clients
// prefix it to the name of each tool, so a longer key leaves less room than the rules
// assume.
const ServerKey = "aggregator"

// Problem returns why the client rejects a name, "" if it accepts it.
func (r *NamingRule) Problem(name string) string {
	switch bad := strings.IndexFunc(name, func(c rune) bool { return !r.Accepts(c) }); {
	case name == "":
		return "it is empty"
	case bad >= 0:
		return fmt.Sprintf("it has %q", []rune(name[bad:])[0])
	case len(name) > r.MaxLength:
		return fmt.Sprintf("it has %d characters, more than %d", len(name), r.MaxLength)
	case !r.Begins(name[0]):
		return `it does not begin with a letter or "_"`
	}
	return ""
}

// Accepts reports whether a name may contain that character.
func (r *NamingRule) Accepts(c rune) bool {
	return isLetter(c) || '0' <= c && c <= '9' || strings.ContainsRune(r.ExtraCharacters, c)
}

// Begins reports whether a name may begin with an accepted character.
func (r *NamingRule) Begins(c byte) bool { return !r.LetterFirst || isLetter(rune(c)) }

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
