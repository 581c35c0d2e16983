package registry

import (
	"fmt"
	"strings"
)

// Separator stands between a server's configuration key and its tool's name.
type Separator string

// The separators of canonical names, key:tool and key.tool, but for clients whose
// naming rule refuses them: those see aliases.
const (
	Auto   Separator = "auto"
	Dotted Separator = "auto."
)

func (s Separator) publicText() string {
	if s == Auto || s == Dotted {
		return s.canonicalText()
	}
	return string(s)
}

// canonicalText stands between key and tool name in canonical names.
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
	viewKey   string // equal for equal views of a snapshot; empty for the view of all tools without aliases
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

// WithFilter returns a naming with the names of n that shows only the tools that pass
// f, out of those that the registry lists. It replaces a filter that n has. A tool has
// the same name whatever the filter, and one that is filtered out cannot be looked up.
func (n *Naming) WithFilter(f Filter) *Naming {
	filtered := *n
	filtered.filter = f
	client := ""
	if n.aliasRule != nil {
		client = n.aliasRule.client
	}
	filtered.viewKey = fmt.Sprintf("%s %q %q", client, f.Allow, f.Deny)
	return &filtered
}

// MayOwn reports whether the tool with that name could be one of the server with
// that key.
func (n *Naming) MayOwn(key, name string) bool {
	return strings.HasPrefix(name, key+n.separator) || strings.HasPrefix(name, key+n.canonical) ||
		n.aliasRule != nil && n.aliasRule.mayOwn(key, name)
}

// Prefixed reports whether a name has the form of public names at all.
func (n *Naming) Prefixed(name string) bool {
	return strings.Contains(name, n.separator) || strings.Contains(name, n.canonical) ||
		n.aliasRule != nil && strings.Contains(name, aliasSeparator)
}
