package lean

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"mcp-aggregator/modules/wire"
)

// wrongType returns a problem if the value has none of the types of the keyword "type". It
// returns "" if that keyword contains anything but known types.
func wrongType(s map[string]any, value any) string {
	names, ok := s["type"].([]any)
	if !ok {
		names = []any{s["type"]}
	}
	if nullable, _ := s["nullable"].(bool); nullable && value == nil { // OpenAPI 3.0
		return ""
	}
	var wanted []string
	for _, name := range names {
		text, ok := name.(string)
		if !ok || !isType[text] || hasType(text, value) {
			return ""
		}
		wanted = append(wanted, article(text))
	}
	if len(wanted) == 0 {
		return ""
	}
	return "must be " + strings.Join(wanted, " or ") + ", not " + article(typeOf(value))
}

// isType is the set of JSON Schema's types.
var isType = map[string]bool{
	"null": true, "boolean": true, "object": true, "array": true, "number": true, "string": true, "integer": true,
}

func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// hasType reports whether the value may be of the named type. A number outside the range of
// float64 counts as an integer.
func hasType(name string, value any) bool {
	if name != "integer" {
		return name == typeOf(value)
	}
	_, isNumber := value.(json.Number)
	n, exact := number(value)
	return isNumber && (!exact || n == math.Trunc(n))
}

func article(name string) string {
	switch name {
	case "null":
		return name
	case "array", "object", "integer":
		return "an " + name
	}
	return "a " + name
}

// wrongValue returns a problem if the value is not one of "enum" or "const".
func (c *comparison) wrongValue(s map[string]any, value any) string {
	values, _ := s["enum"].([]any)
	if constant, ok := s["const"]; ok {
		values = []any{constant}
	}
	if len(values) == 0 || slices.ContainsFunc(values, func(other any) bool { return c.equal(other, value) }) {
		return ""
	}
	var shown []string
	for _, other := range values[:min(len(values), 2*maxUnion)] {
		raw, err := json.Marshal(other)
		if err == nil {
			shown = append(shown, literal(raw))
		}
	}
	if len(values) > len(shown) {
		shown = append(shown, ellipsis)
	}
	return "must be " + strings.Join(shown, " or ")
}

// equal reports whether two values are equal. Numbers are compared by value.
func (c *comparison) equal(a, b any) bool {
	if c.steps++; c.steps > maxSteps {
		c.undecided = true
		return true
	}
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		x, exact := number(a)
		y, alsoExact := number(b)
		return ok && (a == b || !exact || !alsoExact || x == y)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, c.equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, c.equal)
	}
	if text, ok := a.(string); ok {
		c.steps += len(text) / bytesPerStep
	}
	return reflect.DeepEqual(a, b)
}

// memberPath returns the path of a member.
func memberPath(path, name string) string {
	name = shownName(name)
	if path == "" {
		return name
	}
	return path + "." + name
}

// problemAt begins the text of a problem.
func problemAt(path string) string {
	if path == "" {
		return "arguments "
	}
	return cut(path, 4*maxParameter) + " "
}

func quotedJSON(text string) []byte { return wire.AppendQuoted(nil, text) }
