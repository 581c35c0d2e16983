package registry

import (
	"fmt"
	"strings"
)

// Separator stands between a server's key and the tool's name in public names.
type Separator string

// The separators of canonical names, key:tool and key.tool, but for clients whose
// naming rule refuses them: those see aliases.
const (
	Auto   Separator = "auto"
	Dotted Separator = "auto."
)

// publicText returns what separates key and tool name in public names.
func (s Separator) publicText() string {
	if s == Auto || s == Dotted {
		return s.canonicalText()
	}
	return string(s)
}

// canonicalText returns what separates key and tool name in canonical names.
func (s Separator) canonicalText() string {
	if s == Dotted {
		return "."
	}
	return ":"
}

// Naming is how one client sees the tools: under which names, and which of them.
type Naming struct {
	separator string
	canonical string
	aliasRule *aliasRule // nil: tools have no aliases
	filter    Filter
	viewKey   string // equal for namings with the same view; empty without rule and filter
}

// NamingFor returns the naming for a client by the name it gives in initialize
// (clientInfo.name).
func (s Separator) NamingFor(client string) *Naming {
	n := &Naming{separator: s.publicText(), canonical: s.canonicalText()}
	if s == Auto || s == Dotted {
		n.aliasRule = aliasRuleFor(client)
	}
	if n.aliasRule != nil {
		n.viewKey = n.aliasRule.client
	}
	return n
}

// WithFilter returns a naming like n that shows only those of the registry's tools that f
// selects, instead of those that the filter of n selects. A tool keeps its name under
// every filter; the view does not find a tool that is filtered out.
func (n *Naming) WithFilter(f Filter) *Naming {
	if f.isZero() && n.filter.isZero() {
		return n // so that a view of all tools is shared
	}
	filtered := *n
	filtered.filter = f
	client := ""
	if n.aliasRule != nil {
		client = n.aliasRule.client
	}
	filtered.viewKey = fmt.Sprintf("%s %q %q %q", client, f.Servers, f.Allow, f.Deny)
	return &filtered
}

// Filtered reports whether n shows only some of the registry's tools.
func (n *Naming) Filtered() bool { return !n.filter.isZero() }

// MayOwn reports whether a tool with that name could belong to the server with that key,
// and be selected by the filter. An alias is judged as if its characters were those of the
// tool's own name.
func (n *Naming) MayOwn(key, name string) bool {
	for _, prefix := range [...]string{key + n.separator, key + n.canonical} {
		if own, ok := strings.CutPrefix(name, prefix); ok && n.mayShow(key, own) {
			return true
		}
	}
	return n.aliasRule != nil && n.aliasRule.mayOwn(key, name) &&
		n.mayShow(key, strings.TrimPrefix(name, n.aliasRule.aliasPrefix(key)))
}

// mayShow reports whether the filter selects the tool of the server with that key that the
// server calls own.
func (n *Naming) mayShow(key, own string) bool {
	return n.filter.isZero() || n.filter.Selects(key, key+n.canonical+own)
}

// Prefixed reports whether name has the form of a public or canonical name or of an
// alias.
func (n *Naming) Prefixed(name string) bool {
	return strings.Contains(name, n.separator) || strings.Contains(name, n.canonical) ||
		n.aliasRule != nil && strings.Contains(name, aliasSeparator)
}
