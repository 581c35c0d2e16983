package lean

import (
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// maxReadBytes bounds the bytes of a schema that are read, counting repeated reads:
// references can expand a small schema into a huge one.
const maxReadBytes = 4 << 20

// maxRefs bounds chains of references.
const maxRefs = 8

// references resolves local references within a schema.
type references struct {
	root []byte
	read int
}

// resolve follows the reference in raw, if any. It returns nil if the reference cannot be
// resolved.
func (r *references) resolve(raw []byte) []byte {
	for range maxRefs {
		ref, ok := wire.Unquote(wire.Member(raw, "$ref").Of(raw))
		if !ok {
			return raw
		}
		if raw = r.followPointer(ref); raw == nil {
			return nil
		}
	}
	return nil
}

// followPointer returns the target of a reference such as "#/$defs/name", or nil if it does
// not exist in the schema (RFC 6901, section 6).
func (r *references) followPointer(ref string) []byte {
	raw, ok := r.root, ref == "#"
	path, local := strings.CutPrefix(ref, "#/")
	if !local {
		if ok {
			return raw
		}
		return nil
	}
	for part := range strings.SplitSeq(path, "/") {
		if r.read += len(raw); r.read > maxReadBytes {
			return nil
		}
		raw = childOf(raw, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		if raw == nil {
			return nil
		}
	}
	return raw
}

// childOf returns the member or array element with the given name.
func childOf(raw []byte, name string) []byte {
	if len(raw) == 0 || raw[0] != '[' {
		return wire.Member(raw, name).Of(raw)
	}
	index, err := strconv.Atoi(name)
	if err != nil {
		return nil
	}
	for span := range wire.Elements(raw) {
		if index == 0 {
			return span.Of(raw)
		}
		index--
	}
	return nil
}

// requiredBy returns the names that the schema requires.
func requiredBy(schema []byte) map[string]bool {
	names := map[string]bool{}
	list := wire.Member(schema, "required").Of(schema)
	for span := range wire.Elements(list) {
		if name, ok := wire.Unquote(span.Of(list)); ok {
			names[name] = true
		}
	}
	return names
}
