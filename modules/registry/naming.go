package registry

import "strings"

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

// Naming is how tools are called towards one client.
type Naming struct {
	separator string
	canonical string
	aliasRule *aliasRule // nil: tools have no aliases
}

// NamingFor returns how tools are called towards the client that gives itself
// that name (clientInfo.name).
func (s Separator) NamingFor(client string) *Naming {
	n := &Naming{separator: s.publicText(), canonical: s.canonicalText()}
	if s == Auto || s == Dotted {
		n.aliasRule = aliasRuleFor(client)
	}
	return n
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
