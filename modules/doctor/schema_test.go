package doctor_test

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/modules/doctor"
)

func TestSchemasThatClientsReject(t *testing.T) {
	tests := map[string]struct {
		definition string
		want       []string
	}{
		"a good one":                    {good + `,"outputSchema":{"type":"object"}`, nil},
		"no schema":                     {``, []string{`error schema_not_object a:x: its inputSchema is missing; clients that check it lose every tool`}},
		"null":                          {`"inputSchema":null`, []string{`error schema_not_object a:x: its inputSchema is missing`}},
		"a boolean schema":              {`"inputSchema":true`, []string{`error schema_not_object a:x: its inputSchema is not an object`}},
		"no type":                       {`"inputSchema":{"properties":{}}`, []string{`error schema_not_object a:x: its inputSchema is of the type none, not "object"`}},
		"several types":                 {`"inputSchema":{"type":["object","null"],"properties":{}}`, []string{`error schema_not_object a:x: its inputSchema is of the type ["object","null"], not "object"`}},
		"no properties":                 {`"inputSchema":{"type":"object"}`, []string{`note properties_missing a:x: its inputSchema has no "properties"; clients that give it to OpenAI's`}},
		"an output that is an array":    {good + `,"outputSchema":{"type":"array"}`, []string{`error output_schema_not_object a:x: its outputSchema is of the type "array"`}},
		"alternatives at the top":       {`"inputSchema":{"type":"object","properties":{},"oneOf":[]}`, []string{`error schema_composed a:x: its inputSchema has "oneOf" at the top level`}},
		"alternatives further down":     {`"inputSchema":{"type":"object","properties":{"a":{"anyOf":[{},{}]}}}`, nil},
		"a property with a space":       {`"inputSchema":{"type":"object","properties":{"a b":{}}}`, []string{`error property_name a:x: its inputSchema has the property "a b", which`}},
		"a long property":               {`"inputSchema":{"type":"object","properties":{"` + strings.Repeat("p", 65) + `":{}}}`, []string{`error property_name a:x: its`}},
		"a property as long as may be":  {`"inputSchema":{"type":"object","properties":{"` + strings.Repeat("p", 64) + `":{}}}`, nil},
		"an odd property further down":  {`"inputSchema":{"type":"object","properties":{"a":{"type":"object","properties":{"a b":{}}}}}`, nil},
		"a bound of draft 4":            {`"inputSchema":{"type":"object","properties":{"n":{"minimum":0,"exclusiveMinimum":true}}}`, []string{`error boolean_bound a:x: its inputSchema has a boolean "exclusiveMinimum", as in draft 4 (under "n")`}},
		"a bound of today":              {`"inputSchema":{"type":"object","properties":{"n":{"exclusiveMinimum":0}}}`, nil},
		"an array of anything":          {`"inputSchema":{"type":"object","properties":{"l":{"type":"object","properties":{"m":{"type":"array"}}}}}`, []string{`error array_without_items a:x: its inputSchema has an array without "items" (under "m") (under "l"); VS Code`}},
		"an array of strings":           {`"inputSchema":{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}}}}`, nil},
		"a property called items":       {`"inputSchema":{"type":"object","properties":{"items":{"type":"string"},"type":{"type":"string"},"enum":{"type":"array"}}}`, []string{`error array_without_items a:x: its inputSchema has an array without "items" (under "enum")`}},
		"a default that looks like one": {`"inputSchema":{"type":"object","properties":{"l":{"default":{"type":"array"}}}}`, nil},
		"a reference that leads":        {`"inputSchema":{"type":"object","properties":{"r":{"$ref":"#/$defs/a~1b/0"}},"$defs":{"a/b":[{}]}}`, nil},
		"a reference to nothing":        {`"inputSchema":{"type":"object","properties":{"r":{"$ref":"#/$defs/R"}}}`, []string{`warning dangling_reference a:x: its inputSchema refers to "#/$defs/R", which is not there (under "r")`}},
		"a reference behind a list":     {`"inputSchema":{"type":"object","properties":{"r":{"$ref":"#/$defs/1"}},"$defs":[{}]}`, []string{`warning dangling_reference`}},
		"a reference into a text":       {`"inputSchema":{"type":"object","properties":{"r":{"$ref":"#/type/x"}}}`, []string{`warning dangling_reference`}},
		"a reference of the output":     {good + `,"outputSchema":{"type":"object","items":[{"$ref":"#/nothing"}]}`, []string{`error output_dangling_reference a:x: its outputSchema refers to "#/nothing"`}},
		"numbers to choose from":        {`"inputSchema":{"type":"object","properties":{"n":{"enum":["a",1]}}}`, []string{`note enum_not_of_strings a:x: its inputSchema has an "enum" with other values`}},
		"a format":                      {`"inputSchema":{"type":"object","properties":{"n":{"type":"string","format":"uri"}}}`, []string{`note format_unknown a:x: its inputSchema has a string of the format "uri" (under "n"); clients that give it to Gemini's`}},
		"a time":                        {`"inputSchema":{"type":"object","properties":{"n":{"type":"string","format":"date-time"}}}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantLines(t, doctor.Examine(servers(tool("x", test.definition))), test.want...)
		})
	}
}

func TestACommonProblemOfOneServersToolsIsOneFinding(t *testing.T) {
	findings := doctor.Examine(servers(tool("x", ""), tool("fine", good), tool("y", ""), toolOf("b", "z", "")))
	wantLines(t, findings, "error schema_not_object a:x:", "error schema_not_object b:z:")
	if got := strings.Join(findings[0].Tools, " "); got != "a:x a:y" {
		t.Errorf("it concerns %s", got)
	}
}

func TestDifferentProblemsAreSeparateFindings(t *testing.T) {
	findings := doctor.Examine(servers(tool("x", ""), tool("y", `"inputSchema":7`), tool("z", "")))
	wantLines(t, findings, "error schema_not_object a:x: its inputSchema is missing", "error schema_not_object a:y: its inputSchema is not an object")
	if got := strings.Join(findings[0].Tools, " "); got != "a:x a:z" {
		t.Errorf("missing of %s", got)
	}
}

func TestNotesOfSeveralServersAreOneFinding(t *testing.T) {
	const bare = `"inputSchema":{"type":"object"}`
	p := servers(tool("x", bare), toolOf("b", "y", bare), toolOf("c", "z", bare))
	findings := doctor.Examine(p)
	wantLines(t, findings, "note properties_missing a:x: its inputSchema has no")
	if got := strings.Join(findings[0].Tools, " "); got != "a:x b:y c:z" {
		t.Errorf("it concerns %s", got)
	}
	for client, want := range map[string]int{"claude-desktop": 0, "claude-code": 0, "gemini": 0, "codex": 1, "cline": 1} {
		p.Client = client
		if got := len(doctor.Examine(p)); got != want {
			t.Errorf("%s: %d findings, want %d", client, got, want)
		}
	}
}

func TestTheFixHidesExactlyThatTool(t *testing.T) {
	tests := map[string]struct{ own, want string }{
		"a plain name":              {"read_file", "hide it with --deny=a:read_file"},
		"a space":                   {"read file", "hide it with --deny='a:read file'"},
		"what a pattern means":      {`[a]*?\`, `hide it with --deny='a:\[a]\*\?\\'`},
		"a quote":                   {"it's", `hide it with --deny='a:it'\''s'`},
		"what a shell means":        {"$(x)", "hide it with --deny='a:$(x)'"},
		"a name that is too long":   {strings.Repeat("x", 100), `hide the tool at place 2 of the server "a"`},
		"a name that is not shown":  {"x\x1b", `hide the tool at place 2 of the server "a"`},
		"a name that is no Unicode": {"x\uFFFD", `hide the tool at place 2 of the server "a"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			findings := doctor.Examine(servers(tool("fine", good), tool(test.own, "")))
			if got, want := findings[0].Fix, "tell the server's author, and until then "+test.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestThePatternOfTheFixMatchesTheNameAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := rapid.StringMatching(`[a-c*?\[\]\\^-]{1,8}`)
		name, other := own.Draw(t, "name"), own.Draw(t, "other")
		fix := doctor.Examine(servers(tool(name, "")))[0].Fix
		_, pattern, _ := strings.Cut(fix, "--deny=")
		pattern = strings.Trim(pattern, "'")
		for _, candidate := range []string{name, other} {
			matched, err := path.Match(pattern, "a:"+candidate)
			if err != nil || matched != (candidate == name) {
				t.Fatalf("%s: %q is matched: %t, %v", pattern, candidate, matched, err)
			}
		}
	})
}

func TestASchemaThatNestsTooDeepIsSkipped(t *testing.T) {
	deep := strings.Repeat(`[`, 20_000) + strings.Repeat("]", 20_000)
	wantLines(t, doctor.Examine(servers(tool("x", `"inputSchema":`+deep), tool("y", ""))), "error schema_not_object a:y: its inputSchema is missing")
}

func TestAnySchemaIsExamined(t *testing.T) {
	text := rapid.StringMatching(`(\{("(type|properties|\$ref|enum|items|default)":("#/a"|\[1\]|"array"|\{\}|null),?){0,4}\}|true|7)`)
	rapid.Check(t, func(t *rapid.T) {
		schema := strings.ReplaceAll(text.Draw(t, "schema"), ",}", "}")
		p := servers(tool("x", `"inputSchema":`+schema+`,"outputSchema":`+schema))
		for _, f := range doctor.Examine(p) {
			if f.What == "" || f.Fix == "" || f.Where != "a:x" {
				t.Fatalf("%+v", f)
			}
		}
	})
}
