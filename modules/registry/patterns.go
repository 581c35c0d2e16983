package registry

import (
	"fmt"
	"path"
)

// maxPattern is how long one pattern may be, in bytes: no name is longer.
const maxPattern = 256

// Patterns are globs over canonical names, such as "github.*" and "*search*", with the
// meaning that those of a [Filter] have; case matters. No pattern matches nothing.
type Patterns []string

// Match reports whether one of the patterns matches the canonical name.
func (p Patterns) Match(name string) bool { return matchesAny(p, name) }

// Problems tells of each malformed pattern, with its place within what is called that, such
// as "pin[2]".
func (p Patterns) Problems(place string) (problems []string) {
	for i, pattern := range p {
		text := ""
		switch _, err := path.Match(replaceSlashes(pattern), ""); {
		case pattern == "":
			text = "the pattern is empty; * matches every tool"
		case len(pattern) > maxPattern:
			text = fmt.Sprintf("the pattern is longer than %d bytes", maxPattern)
		case err != nil:
			text = fmt.Sprintf("the pattern %q is malformed; close each [ with a ], and write a \\ twice", pattern)
		}
		if text != "" {
			problems = append(problems, fmt.Sprintf("%s[%d]: %s", place, i, text))
		}
	}
	return problems
}
