package doctor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// dataKeywords are the keywords whose values are data and not schemas.
var dataKeywords = map[string]bool{"const": true, "default": true, "enum": true, "example": true, "examples": true}

// schemaMapKeywords are the keywords whose members are schemas with names of their own.
var schemaMapKeywords = map[string]bool{"$defs": true, "definitions": true, "dependentSchemas": true, "patternProperties": true, "properties": true}

// findInSchema returns the first problem that judge finds in schema and its subschemas, in
// the order of member names.
func findInSchema(schema any, judge func(map[string]any) string) string {
	switch node := schema.(type) {
	case map[string]any:
		if wrong := judge(node); wrong != "" {
			return wrong
		}
		for _, keyword := range sortedKeys(node) {
			if wrong := findBelow(keyword, node[keyword], judge); wrong != "" {
				return wrong
			}
		}
	case []any:
		for _, item := range node {
			if wrong := findInSchema(item, judge); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

func findBelow(keyword string, value any, judge func(map[string]any) string) string {
	if dataKeywords[keyword] {
		return ""
	}
	schemas, ok := value.(map[string]any)
	if !ok || !schemaMapKeywords[keyword] {
		return findInSchema(value, judge)
	}
	for _, name := range sortedKeys(schemas) {
		if wrong := findInSchema(schemas[name], judge); wrong != "" {
			return fmt.Sprintf("%s (under %q)", wrong, shorten(name))
		}
	}
	return ""
}

func booleanExclusiveBound(schema any) string {
	return findInSchema(schema, func(node map[string]any) string {
		for _, keyword := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
			if _, ok := node[keyword].(bool); ok {
				return fmt.Sprintf("has a boolean %q, as in draft 4", keyword)
			}
		}
		return ""
	})
}

func arrayWithoutItems(schema any) string {
	return findInSchema(schema, func(node map[string]any) string {
		if _, has := node["items"]; !has && node["type"] == "array" {
			return `has an array without "items"`
		}
		return ""
	})
}

func enumNotOfStrings(schema any) string {
	return findInSchema(schema, func(node map[string]any) string {
		values, _ := node["enum"].([]any)
		for _, value := range values {
			if _, ok := value.(string); !ok {
				return `has an "enum" with other values than strings`
			}
		}
		return ""
	})
}

func unknownFormat(schema any) string {
	return findInSchema(schema, func(node map[string]any) string {
		format, _ := node["format"].(string)
		if format != "" && format != "enum" && format != "date-time" && node["type"] == "string" {
			return fmt.Sprintf("has a string of the format %q", shorten(format))
		}
		return ""
	})
}

// danglingReference reports a reference into the schema itself whose target does not
// exist.
func danglingReference(schema any) string {
	return findInSchema(schema, func(node map[string]any) string {
		reference, _ := node["$ref"].(string)
		if strings.HasPrefix(reference, "#/") && !resolves(schema, reference) {
			return fmt.Sprintf("refers to %q, which is not there", shorten(reference))
		}
		return ""
	})
}

// resolves reports whether the JSON pointer (RFC 6901) of a reference has a target.
func resolves(node any, reference string) bool {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for step := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
		switch within := node.(type) {
		case map[string]any:
			next, ok := within[unescape.Replace(step)]
			if !ok {
				return false
			}
			node = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(within) {
				return false
			}
			node = within[i]
		default:
			return false
		}
	}
	return true
}

func sortedKeys(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// shownType returns the type of a schema as it is written.
func shownType(value any) string {
	if value == nil {
		return "none"
	}
	text, _ := json.Marshal(value) // it came from JSON
	return shorten(string(text))
}
