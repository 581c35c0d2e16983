package registry

import (
	"bytes"
	"errors"

	"mcp-aggregator/modules/wire"
)

// Separator stands between a server's configuration key and its tool's name.
type Separator string

// prefix is what the public name of every tool of the server begins with.
func (s Separator) prefix(key string) string { return key + string(s) }

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
	prefix := wire.AppendQuoted(nil, s.prefix(key))
	name := append(prefix[:len(prefix)-1], raw[1:]...)
	public, _ := wire.Unquote(name) // what a client reads: a key need not be UTF-8
	return &Entry{
		Name:       public,
		Server:     key,
		Tool:       bytes.Clone(raw), // or it would keep the whole page
		Definition: wire.Splice(definition, span, name),
	}, nil
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
	if text, ok := wire.Unquote(name.Of(definition)); !ok || text == "" {
		return name, errNoName
	}
	return name, nil
}
