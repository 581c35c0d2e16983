package search

import (
	"strings"

	"mcp-aggregator/modules/wire"
)

// schemaReader extracts the words of a JSON Schema without decoding all of it. Malformed
// JSON yields fewer words, not an error.
type schemaReader struct {
	names strings.Builder // of properties
	texts strings.Builder // their descriptions and enums
	nodes int             // visited so far
}

// readSchema returns the parameter names of a schema and the texts about them, in schema
// order.
func readSchema(schema []byte) (names, texts string) {
	if len(schema) > maxSchemaBytes {
		return "", ""
	}
	var r schemaReader
	r.object(schema, 0)
	return clip(r.names.String(), MaxText), clip(r.texts.String(), MaxText)
}

// visit reports whether another node at the given depth may be visited.
func (r *schemaReader) visit(depth int) bool {
	r.nodes++
	return depth <= maxSchemaDepth && r.nodes <= maxSchemaNodes &&
		r.names.Len() < MaxText && r.texts.Len() < MaxText
}

func (r *schemaReader) object(schema []byte, depth int) {
	for raw, span := range wire.Members(schema) {
		if !r.visit(depth) {
			return
		}
		name, _ := wire.Unquote(raw)
		value := span.Of(schema)
		switch name {
		case "properties", "patternProperties":
			r.properties(value, depth+1)
		case "items", "additionalProperties", "not", "if", "then", "else", "contains":
			r.object(value, depth+1)
			r.schemas(value, depth+1)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			r.schemas(value, depth+1)
		case "$defs", "definitions", "dependentSchemas":
			r.definitions(value, depth+1)
		case "description":
			if depth > 0 { // the top-level one mostly repeats the tool's
				r.text(value)
			}
		case "enum":
			r.enum(value, depth)
		case "const":
			r.text(value)
		}
	}
}

func (r *schemaReader) properties(object []byte, depth int) {
	for raw, span := range wire.Members(object) {
		if !r.visit(depth) {
			return
		}
		name, _ := wire.Unquote(raw)
		r.names.WriteString(clip(name, MaxText))
		r.names.WriteByte(' ')
		r.object(span.Of(object), depth)
	}
}

func (r *schemaReader) definitions(object []byte, depth int) {
	for _, span := range wire.Members(object) {
		if !r.visit(depth) {
			return
		}
		r.object(span.Of(object), depth)
	}
}

func (r *schemaReader) schemas(array []byte, depth int) {
	for span := range wire.Elements(array) {
		if !r.visit(depth) {
			return
		}
		r.object(span.Of(array), depth)
	}
}

func (r *schemaReader) enum(array []byte, depth int) {
	for span := range wire.Elements(array) {
		if !r.visit(depth) {
			return
		}
		r.text(span.Of(array))
	}
}

// text adds a value if it is a string.
func (r *schemaReader) text(value []byte) {
	if text, ok := wire.Unquote(value); ok {
		r.texts.WriteString(clip(text, MaxText))
		r.texts.WriteByte(' ')
	}
}
