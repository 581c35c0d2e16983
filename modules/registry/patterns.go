package registry

import (
	"fmt"
	"path"
	"strings"
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
		problem := PatternProblem(pattern)
		if problem == "" {
			continue
		}
		subject := "the pattern"
		if pattern != "" && len(pattern) <= maxPattern {
			subject += fmt.Sprintf(" %q", pattern)
		}
		problems = append(problems, fmt.Sprintf("%s[%d]: %s %s", place, i, subject, problem))
	}
	return problems
}

// PatternProblem returns what is wrong with a pattern and how to fix it, as in "is empty;
// ...", or "" if nothing is.
func PatternProblem(pattern string) string {
	_, err := path.Match(replaceSlashes(pattern), "")
	switch {
	case pattern == "":
		return "is empty; * matches every tool"
	case len(pattern) > maxPattern:
		return fmt.Sprintf("is longer than %d bytes", maxPattern)
	case strings.ContainsRune(pattern, 0):
		return "holds a NUL character; leave it out"
	case err != nil:
		return `is malformed; close each [ with a ], and write a \ twice`
	}
	return ""
}

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if matchGlob(pattern, name) {
			return true
		}
	}
	return false
}

// matchGlob is path.Match with slashes as any other character. It leaves only "?", sets and
// escapes to that, which takes 2 us for a pattern that begins with a star: a filter has up
// to 1,000 patterns for 10,000 tools.
func matchGlob(pattern, name string) bool {
	literal := strings.IndexAny(pattern, `*?[\`)
	if literal < 0 {
		return pattern == name
	}
	if !strings.HasPrefix(name, pattern[:literal]) {
		return false
	}
	pattern, name = pattern[literal:], name[literal:]
	if strings.ContainsAny(pattern, `?[\`) {
		ok, err := path.Match(replaceSlashes(pattern), replaceSlashes(name))
		return ok && err == nil
	}
	pattern = pattern[1:] // the star
	for {
		part, rest, more := strings.Cut(pattern, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		_, after, found := strings.Cut(name, part)
		if !found {
			return false
		}
		pattern, name = rest, after
	}
}

// replaceSlashes replaces the slashes, which "*" would not match in path.Match.
func replaceSlashes(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
