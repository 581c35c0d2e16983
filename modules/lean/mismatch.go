package lean

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of comparing arguments with a schema.
const (
	maxCompared = 256 << 10 // bytes of each
	maxSteps    = 20000     // values compared with schemas
	maxDepth    = 64        // nesting of schemas
	maxProblems = 5
	maxPattern  = 200  // bytes
	maxMatched  = 1024 // bytes of a string matched against a pattern
	patternCost = 500  // steps
)

// bytesPerStep is how many bytes of a string count as one step.
const bytesPerStep = 256

// Mismatch returns why the arguments of a call do not match the tool's input schema, such
// as "owner is missing". It returns nothing if they match or if that cannot be decided. It
// does not show values, which may be secret, ignores keywords it does not know, and takes
// bounded time even for huge or self-referential schemas.
//
// It does not use a validation library, because those follow {"$ref": "#"} until the stack
// overflows, which kills the process, and take time exponential in the nesting of {"anyOf":
// [...]}.
func Mismatch(inputSchema, arguments []byte) []string {
	if len(inputSchema) > maxCompared || len(arguments) > maxCompared {
		return nil
	}
	schema, ok := decodeJSON(inputSchema)
	value, valid := decodeJSON(arguments)
	if !ok || !valid {
		return nil
	}
	c := comparison{root: schema}
	problems := c.compare(schema, value, "")
	if c.undecided {
		return nil
	}
	return problems[:min(len(problems), maxProblems)]
}

func decodeJSON(raw []byte) (value any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return value, decoder.Decode(&value) == nil
}

// comparison is the state of comparing one value with one schema.
type comparison struct {
	root      any
	steps     int
	depth     int
	undecided bool // a limit was reached: report no problems
}

// compare returns the problems of the value at path.
func (c *comparison) compare(schema, value any, path string) (problems []string) {
	c.steps++
	c.depth++
	defer func() { c.depth-- }()
	if c.steps > maxSteps || c.depth > maxDepth {
		c.undecided = true
	}
	s, ok := schema.(map[string]any)
	if c.undecided || !ok {
		return nil
	}
	if ref, ok := s["$ref"].(string); ok {
		target, found := c.resolve(ref)
		if !found {
			return nil
		}
		return c.compare(target, value, path) // draft 7 ignores siblings of $ref
	}
	if text := wrongType(s, value); text != "" {
		return []string{problemAt(path) + text}
	}
	if text := c.wrongValue(s, value); text != "" {
		return []string{problemAt(path) + text}
	}
	problems = c.compareAlternatives(s, value, path)
	switch value := value.(type) {
	case map[string]any:
		problems = append(problems, c.compareObject(s, value, path)...)
	case []any:
		problems = append(problems, c.compareArray(s, value, path)...)
	case string:
		problems = append(problems, c.compareString(s, value, path)...)
	case json.Number:
		problems = append(problems, wrongNumber(s, value, path)...)
	}
	return problems
}

// resolve returns the target of a local reference.
func (c *comparison) resolve(ref string) (schema any, ok bool) {
	path, local := strings.CutPrefix(ref, "#/")
	if schema = c.root; !local {
		return schema, ref == "#"
	}
	for part := range strings.SplitSeq(path, "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch node := schema.(type) {
		case map[string]any:
			schema = node[part]
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index < 0 || index >= len(node) {
				return nil, false
			}
			schema = node[index]
		default:
			return nil, false
		}
	}
	return schema, schema != nil
}

// compareAlternatives checks that the value matches all of "allOf" and at least one of
// "anyOf" and "oneOf".
func (c *comparison) compareAlternatives(s map[string]any, value any, path string) (problems []string) {
	all, _ := s["allOf"].([]any)
	for _, schema := range all {
		problems = append(problems, c.compare(schema, value, path)...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		some, _ := s[keyword].([]any)
		var wrong []string
		for _, schema := range some {
			found := c.compare(schema, value, path)
			if len(found) == 0 {
				wrong = nil
				break
			}
			wrong = append(wrong, found[0])
		}
		switch {
		case len(wrong) == 1:
			problems = append(problems, wrong[0])
		case len(wrong) > 1:
			problems = append(problems, problemAt(path)+"matches none of the "+strconv.Itoa(len(wrong))+" alternatives of "+keyword)
		}
	}
	return problems
}

func (c *comparison) compareObject(s map[string]any, value map[string]any, path string) (problems []string) {
	required, _ := s["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			if _, ok := value[name]; !ok {
				problems = append(problems, problemAt(memberPath(path, name))+"is missing")
			}
		}
		if c.steps++; len(problems) > maxProblems {
			return problems
		}
	}
	properties, _ := s["properties"].(map[string]any)
	_, patterns := s["patternProperties"]
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if property, ok := properties[name]; ok {
			problems = append(problems, c.compare(property, value[name], memberPath(path, name))...)
		} else if !patterns {
			problems = append(problems, c.compareAdditional(s["additionalProperties"], value[name], memberPath(path, name))...)
		}
	}
	return problems
}

// compareAdditional checks a member that "properties" does not name.
func (c *comparison) compareAdditional(schema, value any, path string) []string {
	if allowed, ok := schema.(bool); ok && !allowed {
		return []string{problemAt(path) + "is not a known parameter"}
	}
	return c.compare(schema, value, path)
}

func (c *comparison) compareArray(s map[string]any, value []any, path string) (problems []string) {
	if least, ok := number(s["minItems"]); ok && float64(len(value)) < least {
		problems = append(problems, problemAt(path)+"has too few elements")
	}
	if most, ok := number(s["maxItems"]); ok && float64(len(value)) > most {
		problems = append(problems, problemAt(path)+"has too many elements")
	}
	if _, prefixed := s["prefixItems"]; prefixed {
		return problems
	}
	for i, element := range value {
		problems = append(problems, c.compare(s["items"], element, path+"["+strconv.Itoa(i)+"]")...)
		if len(problems) > maxProblems {
			break
		}
	}
	return problems
}

func (c *comparison) compareString(s map[string]any, value, path string) (problems []string) {
	c.steps += len(value) / bytesPerStep
	length := float64(utf8.RuneCountInString(value))
	if least, ok := number(s["minLength"]); ok && length < least {
		problems = append(problems, problemAt(path)+"is too short")
	}
	if most, ok := number(s["maxLength"]); ok && length > most {
		problems = append(problems, problemAt(path)+"is too long")
	}
	pattern, _ := s["pattern"].(string)
	if pattern == "" || len(pattern) > maxPattern || len(value) > maxMatched || !portablePattern(pattern) {
		return problems
	}
	c.steps += patternCost
	if compiled, err := regexp.Compile(pattern); err == nil && !compiled.MatchString(value) {
		problems = append(problems, problemAt(path)+"does not match "+string(quotedJSON(cut(oneLine(pattern), maxTypeText))))
	}
	return problems
}

// portablePattern reports whether a pattern means the same in Go and ECMAScript and has no
// large repetition counts.
func portablePattern(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			if i++; i == len(pattern) || !strings.ContainsRune(`dwDW.-/+*?()[]{}^$|\`, rune(pattern[i])) {
				return false
			}
		case '{':
			if end := strings.IndexByte(pattern[i:], '}'); end > len("{00") {
				return false
			}
		}
	}
	return !strings.Contains(pattern, "(?") && !strings.Contains(pattern, "[]") && !strings.Contains(pattern, "[[")
}

func wrongNumber(s map[string]any, value json.Number, path string) (problems []string) {
	n, ok := number(value)
	if !ok {
		return nil
	}
	for _, bound := range []struct {
		keyword string
		broken  func(limit float64) bool
		text    string
	}{
		{"minimum", func(l float64) bool { return n < l }, "must be at least "},
		{"maximum", func(l float64) bool { return n > l }, "must be at most "},
	} {
		if limit, ok := number(s[bound.keyword]); ok && bound.broken(limit) {
			problems = append(problems, problemAt(path)+bound.text+strconv.FormatFloat(limit, 'g', -1, 64))
		}
	}
	return problems
}

// number returns the value of a JSON number that fits a float64.
func number(value any) (float64, bool) {
	n, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil && !math.IsInf(f, 0)
}
