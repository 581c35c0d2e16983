package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"mcp-aggregator/config/clienttable"
)

// aliasRule makes aliases for the tools whose names a client refuses. An alias has
// letters, digits, "_", and whatever else the client accepts.
type aliasRule struct {
	*clienttable.NamingRule

	client string // its key in clienttable
}

// aliasRuleFor returns the rule of the client with that clientInfo.name, or nil if none
// is known.
func aliasRuleFor(name string) *aliasRule {
	if c, known := clienttable.Named(name); known && c.Naming != nil {
		return &aliasRule{c.Naming, c.Key}
	}
	return nil
}

// aliasSeparator separates server key and tool name in aliases.
const aliasSeparator = "__"

// aliases returns one alias for each tool; the canonical names of the tools differ, and
// keys are those of all configured servers. Aliases are unique, and the same tools get
// the same aliases. An alias that two tools would share gets a hash. So does one that
// could belong to a tool of another configured server, whether or not that server runs:
// aliases must not change when servers come and go.
func (r *aliasRule) aliases(tools []*Entry, keys []string) []string {
	prefixes := r.countPrefixes(keys)
	whole, plain := make([]string, len(tools)), make([]string, len(tools))
	wanted := make(map[string]int, len(tools))
	for i, e := range tools {
		own := r.aliasPrefix(e.Server)
		whole[i] = own + r.replaceRefused(trimMiddle(e.OriginalName, r.MaxLength+prefixes.longest))
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

// aliasPrefixes counts how many servers have each alias prefix.
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

// ambiguous reports whether a tool of another server could have that name: if the first
// own bytes of the name, the prefix of the tool's server, are the prefix of another
// server too, or if a longer beginning of the name is one.
func (p aliasPrefixes) ambiguous(name string, own int) bool {
	for end := min(len(name), p.longest); end >= own; end-- {
		if n := p.count[name[:end]]; n > 0 {
			return n > 1 || end > own
		}
	}
	return false
}

// trimMiddle removes the middle of a text that fitAlias is going to cut anyway. It keeps
// at least enough characters at either end.
func trimMiddle(text string, enough int) string {
	if most := enough * utf8.UTFMax; len(text) > 2*most {
		return text[:most] + text[len(text)-most:]
	}
	return text
}

// shortHash is the number of hexadecimal digits of a canonical name's hash in an alias.
// Aliases that still collide get more.
const shortHash = 6

// fitAlias makes an alias of name, the whole alias of a tool, with that many digits of a
// hash. With 0 digits, it adds a hash only if the name is too long.
func (r *aliasRule) fitAlias(e *Entry, name string, digits int) string {
	if digits == 0 && len(name) <= r.MaxLength {
		return name
	}
	sum := sha256.Sum256([]byte(e.Canonical))
	mark := "_" + hex.EncodeToString(sum[:])[:max(digits, shortHash)]
	if len(name)+len(mark) <= r.MaxLength {
		return name + mark
	}
	rest := r.MaxLength - len(mark) - 1
	tail := rest / 2
	return name[:rest-tail] + mark + "_" + name[len(name)-tail:]
}

// aliasPrefix returns what the aliases of a server's tools begin with, unless they are
// cut.
func (r *aliasRule) aliasPrefix(key string) string {
	prefix := r.replaceRefused(key) + aliasSeparator
	if !r.Begins(prefix[0]) {
		prefix = "_" + prefix
	}
	return prefix
}

// replaceRefused replaces each character that the client refuses.
func (r *aliasRule) replaceRefused(text string) string {
	return strings.Map(func(c rune) rune {
		if r.Accepts(c) {
			return c
		}
		return '_'
	}, text)
}

// mayOwn reports whether name could be the alias of a tool of the server with that key.
func (r *aliasRule) mayOwn(key, name string) bool {
	const longHash = 16 // digits; no alias has more
	prefix := r.aliasPrefix(key)
	uncut := (r.MaxLength - longHash - 2) / 2
	return strings.HasPrefix(name, prefix[:min(len(prefix), uncut)])
}
