package lean

import (
	"strconv"
	"strings"

	"mcp-aggregator/modules/wire"
)

// maxReadBytes is how much of a schema is read, in bytes, all that is read twice included:
// a reference makes a large one of a small one.
const maxReadBytes = 4 << 20

// maxRefs is how many references are followed from one to the next.
const maxRefs = 8

// references resolves the local references of a schema.
type references struct {
	root []byte
	read int
}

// resolve returns the schema that raw refers to, or raw if it refers to none; nil when
// that cannot be told.
func (r *references) resolve(raw []byte) []byte {
	for range maxRefs {
		ref, ok := wire.Unquote(wire.Member(raw, "$ref").Of(raw))
		if !ok {
			return raw
		}
		if raw = r.at(ref); raw == nil {
			return nil
		}
	}
	return nil
}

// at returns what a reference such as "#/$defs/name" refers to; nil when it is nothing
// within the schema (RFC 6901, section 6).
func (r *references) at(ref string) []byte {
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
		raw = step(raw, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
		if raw == nil {
			return nil
		}
	}
	return raw
}

// step returns the member or the element of that name.
func step(raw []byte, name string) []byte {
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

// requiredBy returns the names that an object of the schema must have.
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
