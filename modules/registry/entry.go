package registry

import (
	"bytes"
	"crypto/sha256"
	"errors"

	"mcp-aggregator/modules/wire"
)

// Entry is one tool of one server.
type Entry struct {
	Name         string // public name, for clients without a naming rule
	Canonical    string // key:tool or key.tool, which every client can call
	Server       string // configuration key of its server
	OriginalName string // the server's name for it
	RawName      []byte // OriginalName as the server wrote it, raw JSON
	Definition   []byte // raw JSON, with the public name

	nameSpan wire.Span // of the public name in Definition
}

// originalDefinition returns the definition as the server wrote it.
func (e *Entry) originalDefinition() []byte { return wire.Splice(e.Definition, e.nameSpan, e.RawName) }

// Hash returns the SHA-256 of the definition as the server wrote it.
func (e *Entry) Hash() [sha256.Size]byte { return sha256.Sum256(e.originalDefinition()) }

var (
	errNotObject = errors.New("it is not an object")
	errNoName    = errors.New("it has no name")
	errTwoNames  = errors.New("it has two names")
)

// newEntry returns the entry for a tool of the server with that key. It changes nothing
// of the definition but the name, which gets the prefix.
func (s Separator) newEntry(key string, definition []byte) (*Entry, error) {
	span, err := findName(definition)
	if err != nil {
		return nil, err
	}
	raw := span.Of(definition)
	prefix := wire.AppendQuoted(nil, key+s.publicText())
	before, _ := wire.Unquote(prefix) // as clients decode it: a key need not be UTF-8
	name := append(prefix[:len(prefix)-1], raw[1:]...)
	public, _ := wire.Unquote(name)
	own := public[len(before):]
	e := &Entry{
		Name:         public,
		Canonical:    public,
		Server:       key,
		OriginalName: own,
		RawName:      bytes.Clone(raw), // a subslice would keep the whole page alive
		Definition:   wire.Splice(definition, span, name),
		nameSpan:     wire.Span{Start: span.Start, End: span.Start + len(name)},
	}
	if s.publicText() != s.canonicalText() {
		e.Canonical = key + s.canonicalText() + own
	}
	return e, nil
}

// findName returns the span of the string value of the definition's only "name".
func findName(definition []byte) (wire.Span, error) {
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
