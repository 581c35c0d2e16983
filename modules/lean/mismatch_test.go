package lean_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"mcp-aggregator/modules/lean"
)

func TestMismatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ schema, arguments, want string }{
		"they fit":                    {`{"properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":"x"}`, ``},
		"one is missing":              {`{"required":["a b"]}`, `{}`, `"a b" is missing`},
		"one is unknown":              {`{"properties":{"a":{}},"additionalProperties":false}`, `{"b":1,"a":2}`, `b is not a known parameter`},
		"unknown ones are allowed":    {`{"properties":{"a":{}}}`, `{"b":1}`, ``},
		"unknown ones have a schema":  {`{"additionalProperties":{"type":"null"}}`, `{"b":1}`, `b must be null, not a number`},
		"patterns name others":        {`{"patternProperties":{"^b":{}},"additionalProperties":false}`, `{"b":1}`, ``},
		"another type":                {`{"properties":{"a":{"type":["string","null"]}}}`, `{"a":[1]}`, `a must be a string or null, not an array`},
		"an integer":                  {`{"properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"}}}`, `{"a":1.0,"b":1.5,"c":1e400}`, `b must be an integer, not a number`},
		"null of OpenAPI":             {`{"properties":{"a":{"type":"string","nullable":true}}}`, `{"a":null}`, ``},
		"an enum":                     {`{"properties":{"a":{"enum":["x",1]},"b":{"const":2},"c":{"enum":[2.0]}}}`, `{"a":"y","b":3,"c":2}`, `a must be "x" or 1; b must be 2`},
		"bounds":                      {`{"properties":{"a":{"minimum":1},"b":{"maximum":2.5},"c":{"minLength":2},"d":{"maxLength":1},"e":{"minItems":1},"f":{"maxItems":0}}}`, `{"a":0,"b":3,"c":"é","d":"ab","e":[],"f":[1]}`, `a must be at least 1; b must be at most 2.5; c is too short; d is too long; e has too few elements`},
		"nested":                      {`{"properties":{"a":{"items":{"properties":{"b":{"type":"string"}}}}}}`, `{"a":[{},{"b":1}]}`, `a[1].b must be a string, not a number`},
		"a pattern":                   {`{"properties":{"a":{"pattern":"^\\d+$"},"b":{"pattern":"^(?=x)"},"c":{"pattern":"\\s"}}}`, `{"a":"x","b":"y","c":"z"}`, `a does not match "^\\d+$"`},
		"a reference":                 {`{"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"x"},"c":{"$ref":"#/$defs/no"}},"$defs":{"A":{"type":"string"}}}`, `{"a":1,"b":1,"c":1}`, `a must be a string, not a number`},
		"all of":                      {`{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, `a is missing; b is missing`},
		"any of":                      {`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, `a matches none of the 2 alternatives of anyOf`},
		"one of one":                  {`{"oneOf":[{"required":["a"]}]}`, `{}`, `a is missing`},
		"no object":                   {`{"type":"object"}`, `[]`, `arguments must be an object, not an array`},
		"keywords of other types":     {`{"type":7,"enum":1,"required":"a","properties":[],"items":[{"type":"null"}],"anyOf":{},"minimum":"1","pattern":2,"$ref":3}`, `{"a":[1]}`, ``},
		"a malformed schema":          {`nonsense`, `{}`, ``},
		"malformed arguments":         {`{"type":"string"}`, `{`, ``},
		"an unknown type":             {`{"properties":{"a":{"type":"int"}}}`, `{"a":"x"}`, ``},
		"values are not shown":        {`{"properties":{"key":{"enum":["x"]}}}`, `{"key":"secret"}`, `key must be "x"`},
		"five are enough":             {`{"required":["a","b","c","d","e","f","g"]}`, `{}`, `a is missing; b is missing; c is missing; d is missing; e is missing`},
		"control characters in names": {`{"required":["a\u001b[31m\u202e"]}`, `{}`, `"a [31m" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(lean.Mismatch([]byte(c.schema), []byte(c.arguments)), "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestHostileSchemasTakeBoundedTime(t *testing.T) {
	t.Parallel()
	schemas := hostileSchemas()
	delete(schemas, "many required")
	long := strings.Repeat("a", 1000) + "!"
	schemas["patterns without end"] = `{"additionalProperties":{"pattern":"^(((a*)*)*)*$","allOf":[` + strings.Repeat(`{"pattern":"(a|aa|aaa)*b"},`, 5000) + `{}]}}`
	schemas["one enum for all"] = `{"additionalProperties":{"$ref":"#/e"},"e":{"enum":[` + strings.Repeat(`"`+long[:999]+`?",`, 200) + `1]}}`
	for name, schema := range schemas {
		for _, arguments := range []string{
			`{"a":{"a":{"a":1}}}`, `{"a":"` + long + `"}`, `{"a":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`,
			`{"a":[` + strings.Repeat(`"`+long+`",`, 200) + `1]}`, `{"x` + strings.Repeat(`":"`+long[:900]+`","`, 200) + `":1}`,
		} {
			t.Run(fmt.Sprintf("%s, %.20s", name, arguments), func(t *testing.T) {
				t.Parallel()
				if got := lean.Mismatch([]byte(schema), []byte(arguments)); len(got) > 5 {
					t.Errorf("got %q", got)
				}
			})
		}
	}
	if got := lean.Mismatch([]byte(`{"$ref":"#"}`), []byte(`{}`)); got != nil {
		t.Errorf("a schema that is itself: %q", got)
	}
}

// anySchema generates schemas from the supported keywords.
func anySchema(depth int) *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{
		`{}`, `true`, `{"type":"string"}`, `{"type":"integer"}`, `{"type":["number","null"]}`, `{"enum":["x",1,null,[1]]}`, `{"const":{"a":1}}`,
		`{"minimum":1,"maximum":1.5}`, `{"minLength":1,"maxLength":2}`, `{"pattern":"^x"}`, `{"$ref":"#/$defs/s"}`, `{"type":"array"}`, `{"type":"boolean"}`,
	})
	if depth == 0 {
		return leaf
	}
	return rapid.Custom(func(t *rapid.T) string {
		inner := func(label string) string { return anySchema(depth-1).Draw(t, label) }
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1:
			return `{"items":` + inner("items") + `,"minItems":1,"maxItems":2}`
		case 2:
			return `{"anyOf":[` + inner("one") + `,` + inner("two") + `]}`
		case 3:
			return `{"allOf":[` + inner("one") + `,` + inner("two") + `]}`
		case 4:
			return `{"type":"object","properties":{"a":` + inner("a") + `},"additionalProperties":` +
				rapid.SampledFrom([]string{`false`, `true`, `{"type":"string"}`}).Draw(t, "more") + `}`
		}
		return `{"properties":{"a":` + inner("a") + `,"b":` + inner("b") + `},"required":["a"]}`
	})
}

func TestTheVerdictMatchesAValidator(t *testing.T) {
	t.Parallel()
	value := rapid.SampledFrom([]string{`"x"`, `"xyz"`, `""`, `1`, `1.0`, `1.5`, `2`, `null`, `true`, `[]`, `[1]`, `["x","y",1]`, `{}`, `{"a":1}`, `{"a":"x","b":[1]}`, `{"c":1}`})
	verdicts := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		text := `{"type":"object","properties":{"a":` + anySchema(2).Draw(t, "a") + `,"b":` + anySchema(2).Draw(t, "b") + `},"$defs":{"s":{"type":"string"}}}`
		arguments := `{"a":` + value.Draw(t, "value a") + `,"b":` + value.Draw(t, "value b") + `}`
		var schema jsonschema.Schema
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		var instance any
		if err := json.Unmarshal([]byte(arguments), &instance); err != nil {
			t.Fatal(err)
		}
		wrong := resolved.Validate(instance)
		if got := lean.Mismatch([]byte(text), []byte(arguments)); (wrong != nil) != (len(got) > 0) {
			t.Fatalf("%q, but %v\n%s\n%s", got, wrong, text, arguments)
		}
		verdicts[wrong == nil]++
	})
	if verdicts[true] == 0 || verdicts[false] == 0 {
		t.Errorf("the cases are of one kind: %v", verdicts)
	}
}

func FuzzMismatch(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"enum":[1]}},"$ref":"#/properties/a"}`), []byte(`{"a":2}`))
	f.Add([]byte(`{"type":["string"],"pattern":"("}`), []byte(`"x"`))
	f.Fuzz(func(t *testing.T, schema, arguments []byte) {
		for _, problem := range lean.Mismatch(schema, arguments) {
			if len(problem) > 1200 || strings.ContainsAny(problem, "\n\r\x00") {
				t.Errorf("%q", problem)
			}
		}
	})
}
