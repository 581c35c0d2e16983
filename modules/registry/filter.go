package registry

import (
	"path"
	"slices"
	"strings"
)

// Filter selects tools by globs over their canonical names: "*" matches any characters,
// "?" one character, "[a-z]" one of a range. The zero value selects all tools.
type Filter struct {
	Allow []string // if not empty, a tool must match one of them
	Deny  []string // a tool must match none of them
}

// Unmatched returns the patterns that match none of the canonical names.
func (f Filter) Unmatched(names []string) Filter {
	unmatched := func(pattern string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return matchesAny([]string{pattern}, name) })
	}
	return Filter{Allow: filterPatterns(f.Allow, unmatched), Deny: filterPatterns(f.Deny, unmatched)}
}

func filterPatterns(patterns []string, keep func(string) bool) (rest []string) {
	for _, pattern := range patterns {
		if keep(pattern) {
			rest = append(rest, pattern)
		}
	}
	return rest
}

func (f Filter) isZero() bool { return len(f.Allow)+len(f.Deny) == 0 }

// allows reports whether f selects the tool with that canonical name.
func (f Filter) allows(name string) bool {
	return (len(f.Allow) == 0 || matchesAny(f.Allow, name)) && !matchesAny(f.Deny, name)
}

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if ok, err := path.Match(replaceSlashes(pattern), replaceSlashes(name)); ok && err == nil {
			return true
		}
	}
	return false
}

// replaceSlashes replaces the slashes, which "*" would not match in path.Match.
func replaceSlashes(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
