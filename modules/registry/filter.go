package registry

import "slices"

// Filter selects tools by their servers and by globs over their canonical names: "*"
// matches any characters, "?" one character, "[a-z]" one of a range. The zero value
// selects all tools.
type Filter struct {
	Servers []string // if not empty, the keys of the servers whose tools are selected
	Allow   []string // if not empty, a tool must match one of them
	Deny    []string // a tool must match none of them
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

func (f Filter) isZero() bool { return len(f.Servers)+len(f.Allow)+len(f.Deny) == 0 }

// Selects reports whether f selects the tool with that canonical name, of the server with
// that key.
func (f Filter) Selects(server, canonical string) bool {
	return (len(f.Servers) == 0 || slices.Contains(f.Servers, server)) &&
		(len(f.Allow) == 0 || matchesAny(f.Allow, canonical)) && !matchesAny(f.Deny, canonical)
}
