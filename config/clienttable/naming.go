package clienttable

import (
	"fmt"
	"strings"
)

// NamingRule is what a client accepts as the name of a tool, as it or the API of its
// models checks it. An error that quotes a pattern, such as ^[a-zA-Z0-9_-]{1,64}$, is
// the usual source.
type NamingRule struct {
	// ExtraCharacters are the characters that it accepts beside letters, digits and "_".
	ExtraCharacters string
	// MaxLength is how long a name may be, in characters. What the client puts before it is
	// taken off, for a server under [ServerKey] in its own configuration.
	MaxLength int
	// LetterFirst tells that a name must begin with a letter or "_".
	LetterFirst bool
	// Sources are where the rule and the client's names were found.
	Sources []string
}

// ServerKey is how the aggregator is called in the configuration of clients: several
// put that before the name of each tool. A longer key leaves less room than the rules
// reckon with.
const ServerKey = "aggregator"

// Problem says why the client refuses a name; "" when it does not.
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

// Accepts reports whether a name may have that character.
func (r *NamingRule) Accepts(c rune) bool {
	return isLetter(c) || '0' <= c && c <= '9' || strings.ContainsRune(r.ExtraCharacters, c)
}

// Begins reports whether a name of accepted characters may begin with that one.
func (r *NamingRule) Begins(c byte) bool { return !r.LetterFirst || isLetter(rune(c)) }

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
