package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"mcp-aggregator/config/clienttable"
)

// aliasRule makes aliases of names that a client refuses: of letters, digits, "_" and
// whatever else the client accepts.
type aliasRule struct {
	*clienttable.NamingRule

	client string // key
}

// aliasRuleFor returns the rule of the client that gives itself that name; nil when none
// is known.
func aliasRuleFor(name string) *aliasRule {
	if c, known := clienttable.Named(name); known && c.Naming != nil {
		return &aliasRule{c.Naming, c.Key}
	}
	return nil
}

// aliasSeparator stands between key and tool name in aliases.
const aliasSeparator = "__"

// aliases returns the names under which the client sees tools, which have
// different canonical names, when the servers of the file have those keys. They are
// the same for the same tools, and different from each other: where two would meet,
// each gets a hash. Servers may come and go; so what could be a tool of another one's
// has it, too, whether that runs or not.
func (r *aliasRule) aliases(tools []*Entry, keys []string) []string {
	prefixes := r.countPrefixes(keys)
	whole, plain := make([]string, len(tools)), make([]string, len(tools))
	wanted := make(map[string]int, len(tools))
	for i, e := range tools {
		own := r.aliasPrefix(e.Server)
		whole[i] = own + r.replaceRefused(trimMiddle(e.OriginalName, r.Max+prefixes.longest))
		if !prefixes.ambiguous(whole[i], len(own)) {
			plain[i] = r.fitAlias(e, whole[i], 0)
			wanted[plain[i]]++
		}
	}
	names, taken := make([]string, len(tools)), make(map[string]bool, len(tools))
	for i, e := range tools {
		name := plain[i]
		free := wanted[name] == 1 && !taken[name]
		for digits := shortHash; !free; digits += 2 {
			name = r.fitAlias(e, whole[i], digits)
			free = wanted[name] == 0 && !taken[name]
		}
		names[i], taken[name] = name, true
	}
	return names
}

// aliasPrefixes are those of all servers, and how many have each.
type aliasPrefixes struct {
	count   map[string]int
	longest int
}

func (r *aliasRule) countPrefixes(keys []string) aliasPrefixes {
	p := aliasPrefixes{count: make(map[string]int, len(keys))}
	for _, key := range keys {
		prefix := r.aliasPrefix(key)
		p.count[prefix]++
		p.longest = max(p.longest, len(prefix))
	}
	return p
}

// ambiguous reports whether another server than that of a tool, whose prefix is as
// long as own says, could have one of that name: its prefix is the same, or a longer
// beginning of the name.
func (p aliasPrefixes) ambiguous(name string, own int) bool {
	for end := min(len(name), p.longest); end >= own; end-- {
		if n := p.count[name[:end]]; n > 0 {
			return n > 1 || end > own
		}
	}
	return false
}

// trimMiddle leaves out the middle of a text that will be cut in any case: what is left
// has more than enough characters at its beginning and its end.
func trimMiddle(text string, enough int) string {
	if most := enough * utf8.UTFMax; len(text) > 2*most {
		return text[:most] + text[len(text)-most:]
	}
	return text
}

// shortHash is how many hexadecimal digits of the hash of a canonical name stand
// in an alias, unless that is not enough to tell it from others.
const shortHash = 6

// fitAlias makes an alias of the whole name of a tool, with that many digits of a hash in
// it; with 0, a hash only if it is too long and has to be cut.
func (r *aliasRule) fitAlias(e *Entry, name string, digits int) string {
	if digits == 0 && len(name) <= r.Max {
		return name
	}
	sum := sha256.Sum256([]byte(e.Canonical))
	mark := "_" + hex.EncodeToString(sum[:])[:max(digits, shortHash)]
	if len(name)+len(mark) <= r.Max {
		return name + mark
	}
	rest := r.Max - len(mark) - 1
	tail := rest / 2
	return name[:rest-tail] + mark + "_" + name[len(name)-tail:]
}

// aliasPrefix is what the alias of every tool of a server begins with, unless it is
// cut.
func (r *aliasRule) aliasPrefix(key string) string {
	prefix := r.replaceRefused(key) + aliasSeparator
	if !r.Begins(prefix[0]) {
		prefix = "_" + prefix
	}
	return prefix
}

// replaceRefused replaces what the client does not accept.
func (r *aliasRule) replaceRefused(text string) string {
	return strings.Map(func(c rune) rune {
		if r.Accepts(c) {
			return c
		}
		return '_'
	}, text)
}

// mayOwn reports whether that could be the alias of a tool of the server.
func (r *aliasRule) mayOwn(key, name string) bool {
	const longHash = 16 // more digits than an alias ever has
	prefix := r.aliasPrefix(key)
	uncut := (r.Max - longHash - 2) / 2
	return strings.HasPrefix(name, prefix[:min(len(prefix), uncut)])
}
