package lean

import (
	"slices"
	"strings"

	"mcp-aggregator/modules/wire"
)

// Limits of the types in a signature.
const (
	maxTypes    = 200 // schemas visited, over all parameters
	maxNested   = 4   // nesting of arrays and unions
	maxUnion    = 5   // alternatives of one type
	maxLiteral  = 24  // bytes of a constant or a default
	maxTypeText = 80  // bytes of one type
)

// anyType is the type of a schema that does not determine one.
const anyType = "any"

// typeWriter formats the types of parameters. It visits a limited number of schemas.
type typeWriter struct {
	refs  *references
	left  int
	depth int
}

// typeText returns the type of a schema. It mentions null only for required parameters:
// optional ones can be omitted.
func (t *typeWriter) typeText(schema []byte, required bool) string {
	types := t.alternatives(schema)
	if !required && len(types) > 1 {
		types = without(types, "null")
	}
	if len(types) > maxUnion {
		types = append(types[:maxUnion:maxUnion], ellipsis)
	}
	for size := len(types); ; size-- {
		joined := strings.Join(types[:size], "|")
		if size < len(types) {
			joined += "|" + ellipsis
		}
		if len(joined) <= maxTypeText || size == 1 {
			return joined
		}
	}
}

// alternatives returns the types that a value of the schema may have, at least one.
func (t *typeWriter) alternatives(schema []byte) []string {
	if t.left--; t.left < 0 || t.depth > maxNested {
		return []string{anyType}
	}
	t.depth++
	defer func() { t.depth-- }()
	schema = t.refs.resolve(schema)
	if t.refs.read += len(schema); t.refs.read > maxReadBytes {
		return []string{anyType}
	}
	member := func(name string) []byte { return wire.Member(schema, name).Of(schema) }
	if constant := member("const"); constant != nil {
		return []string{literal(constant)}
	}
	if values := elements(member("enum"), maxUnion+1); len(values) > 0 {
		return distinct(values, func(raw []byte) []string { return []string{literal(raw)} })
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if schemas := elements(member(keyword), 2*maxUnion); len(schemas) > 0 {
			return distinct(schemas, t.alternatives)
		}
	}
	if all := elements(member("allOf"), 2); len(all) == 1 && member("type") == nil {
		return t.alternatives(all[0])
	}
	return t.keywordTypes(schema, member("type"))
}

// keywordTypes returns the types named by the keyword "type", or those implied by other
// keywords.
func (t *typeWriter) keywordTypes(schema, raw []byte) []string {
	names := elements(raw, 2*maxUnion)
	if len(names) == 0 {
		names = [][]byte{raw}
	}
	return distinct(names, func(raw []byte) []string {
		switch name, _ := wire.Unquote(raw); name {
		case "string", "number", "integer", "boolean", "null":
			return []string{name}
		case "array":
			return []string{t.array(schema)}
		case "object":
			return []string{object(schema)}
		case "":
			return []string{t.untyped(schema)}
		}
		return []string{anyType}
	})
}

func (t *typeWriter) array(schema []byte) string {
	items := wire.Member(schema, "items").Of(schema)
	if len(items) == 0 || items[0] != '{' {
		return "any[]"
	}
	text := t.typeText(items, true)
	if strings.Contains(text, "|") {
		text = "(" + text + ")"
	}
	return text + "[]"
}

func (t *typeWriter) untyped(schema []byte) string {
	switch {
	case wire.Member(schema, "properties").Present():
		return object(schema)
	case wire.Member(schema, "items").Present():
		return t.array(schema)
	}
	return anyType
}

func object(schema []byte) string {
	if wire.Member(schema, "properties").Present() {
		return "{" + ellipsis + "}"
	}
	return "object"
}

// defaultOf returns the default value of a schema, if it is short and meaningful.
func (t *typeWriter) defaultOf(schema []byte) string {
	raw := wire.Member(schema, "default").Of(schema)
	if len(raw) == 0 || len(raw) > maxLiteral || raw[0] == '{' || raw[0] == '[' ||
		string(raw) == "null" || string(raw) == `""` {
		return ""
	}
	return " = " + literal(raw)
}

// literal returns a raw JSON value on one line, shortened.
func literal(raw []byte) string {
	if text, ok := wire.Unquote(raw); ok {
		return string(wire.AppendQuoted(nil, cut(oneLine(text), maxLiteral)))
	}
	return cut(oneLine(string(raw[:min(len(raw), 2*maxLiteral)])), maxLiteral)
}

// elements returns the first elements of an array, at most limit.
func elements(array []byte, limit int) (list [][]byte) {
	for span := range wire.Elements(array) {
		if list = append(list, span.Of(array)); len(list) == limit {
			break
		}
	}
	return list
}

// distinct returns the types of all schemas without duplicates.
func distinct(schemas [][]byte, types func([]byte) []string) (list []string) {
	for _, schema := range schemas {
		for _, text := range types(schema) {
			if !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

func without(list []string, text string) []string {
	return slices.DeleteFunc(list, func(other string) bool { return other == text })
}
