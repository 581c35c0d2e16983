package registry

import (
	"path"
	"slices"
	"strings"
)

// Filter says which tools are listed, by globs over canonical names: "*" stands for
// any characters, "?" for one, "[a-z]" for one of them. The zero value lists all.
type Filter struct {
	Allow []string // a tool must match one of these, if there are any
	Deny  []string // and none of these
}

// Unmatched returns those patterns that match none of the canonical names.
func (f Filter) Unmatched(names []string) Filter {
	idle := func(pattern string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return matchesAny([]string{pattern}, name) })
	}
	return Filter{Allow: filterPatterns(f.Allow, idle), Deny: filterPatterns(f.Deny, idle)}
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

// allows reports whether the tool with that canonical name is listed.
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

// replaceSlashes replaces the slash, which path.Match sets apart: "*" is to match it, too.
func replaceSlashes(text string) string { return strings.ReplaceAll(text, "/", "\x00") }
