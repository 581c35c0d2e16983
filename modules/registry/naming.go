package registry

import (
	"bytes"
	"errors"
	"strings"

	"mcp-aggregator/modules/wire"
)

// Separator stands between a server's configuration key and its tool's name.
type Separator string

// The separators of canonical names, key:tool and key.tool, but for clients whose
// naming rule refuses them: those see aliases.
const (
	Auto   Separator = "auto"
	Dotted Separator = "auto."
)

func (s Separator) text() string {
	if s == Auto || s == Dotted {
		return s.canonical()
	}
	return string(s)
}

// canonical stands between key and tool name in canonical names.
func (s Separator) canonical() string {
	if s == Dotted {
		return "."
	}
	return ":"
}

// Naming is how tools are called towards one client.
type Naming struct {
	separator string
	canonical string
	rule      *rule // nil: tools have no aliases
}

// NamingFor returns how tools are called towards the client that gives itself
// that name (clientInfo.name).
func (s Separator) NamingFor(client string) *Naming {
	n := &Naming{separator: s.text(), canonical: s.canonical()}
	if s == Auto || s == Dotted {
		n.rule = ruleOf(client)
	}
	return n
}

// MayOwn reports whether the tool with that name could be one of the server with
// that key.
func (n *Naming) MayOwn(key, name string) bool {
	return strings.HasPrefix(name, key+n.separator) || strings.HasPrefix(name, key+n.canonical) ||
		n.rule != nil && n.rule.mayOwn(key, name)
}

// Prefixed reports whether a name has the form of public names at all.
func (n *Naming) Prefixed(name string) bool {
	return strings.Contains(name, n.separator) || strings.Contains(name, n.canonical) ||
		n.rule != nil && strings.Contains(name, joint)
}

var (
	errNotObject = errors.New("it is not an object")
	errNoName    = errors.New("it has no name")
	errTwoNames  = errors.New("its name stands twice")
)

// publish returns the entry of one tool of a server. The definition stays as
// the server wrote it, but for the prefix inside its name.
func (s Separator) publish(key string, definition []byte) (*Entry, error) {
	span, err := nameOf(definition)
	if err != nil {
		return nil, err
	}
	raw := span.Of(definition)
	prefix := wire.AppendQuoted(nil, key+s.text())
	before, _ := wire.Unquote(prefix) // what a client reads: a key need not be UTF-8
	name := append(prefix[:len(prefix)-1], raw[1:]...)
	public, _ := wire.Unquote(name)
	own := public[len(before):]
	e := &Entry{
		Name:       public,
		Canonical:  public,
		Server:     key,
		Own:        own,
		Tool:       bytes.Clone(raw), // or it would keep the whole page
		Definition: wire.Splice(definition, span, name),
		name:       wire.Span{Start: span.Start, End: span.Start + len(name)},
	}
	if s.text() != s.canonical() {
		e.Canonical = key + s.canonical() + own
	}
	return e, nil
}

func nameOf(definition []byte) (wire.Span, error) {
	var name wire.Span
	if len(definition) == 0 || definition[0] != '{' {
		return name, errNotObject
	}
	for rawKey, span := range wire.Members(definition) {
		if key, _ := wire.Unquote(rawKey); key != "name" {
			continue
		}
		if name.Present() {
			return name, errTwoNames
		}
		name = span
	}
	if raw := name.Of(definition); len(raw) <= len(`""`) || raw[0] != '"' {
		return name, errNoName
	}
	return name, nil
}
