package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"mcp-aggregator/config"
)

// problemsOf returns the problems in err as the program finds them.
func problemsOf(t tb, err error) config.Errors {
	t.Helper()
	problems, ok := errors.AsType[config.Errors](fmt.Errorf("start: %w", err))
	if !ok {
		t.Fatalf("no config.Errors in %v", err)
	}
	return problems
}

func TestAnErrorHasItsKnownParts(t *testing.T) {
	tests := []struct {
		name string
		err  config.Error
		want string
	}{
		{"everything", config.Error{File: "c.json", Line: 1, Column: 2, Path: "mcpServers.a", Message: "m; n"}, "c.json:1:2: mcpServers.a: m; n"},
		{"no path", config.Error{File: "c.json", Line: 1, Column: 2, Message: "m; n"}, "c.json:1:2: m; n"},
		{"no line", config.Error{File: "c.json", Path: "mcpServers.a", Message: "m; n"}, "c.json: mcpServers.a: m; n"},
		{"a file that would break the line", config.Error{File: "c\n", Message: "m; n"}, `"c\n": m; n`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestErrorsAreOneLineEachAndUnwrap(t *testing.T) {
	first := &config.Error{File: "a", Message: "m"}
	second := &config.Error{File: "b", Message: "n", Err: io.ErrUnexpectedEOF}
	err := error(config.Errors{first, second})
	if got, want := err.Error(), "a: m\nb: n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(err, second) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the second problem or its cause cannot be found")
	}
	if found, ok := errors.AsType[*config.Error](err); !ok || found != first {
		t.Errorf("found %v, want the first problem", found)
	}
}

func TestCodesAreStable(t *testing.T) {
	for code, want := range map[config.Code]string{
		config.FileNotFound:   "file_not_found",
		config.FileUnreadable: "file_unreadable",
		config.InvalidJSON:    "invalid_json",
		config.InvalidSchema:  "invalid_schema",
		config.MissingEnvVar:  "missing_env_var",
		config.CircularConfig: "circular_config",
	} {
		if string(code) != want {
			t.Errorf("code %q, want %q", code, want)
		}
	}
}

func TestInvalidJSONIsReportedWithLineColumnAndFix(t *testing.T) {
	runRefusals(t, config.InvalidJSON, []refusal{
		{
			"a missing comma", "{\"a\": 1\n \"b\": 2}",
			`c.json:2:2: invalid character '"' after object key:value pair; correct the JSON here`,
		},
		{
			"a column behind characters of several bytes", `{"äöü": x}`,
			"c.json:1:9: invalid character 'x' looking for beginning of value; correct the JSON here",
		},
		{
			"a byte-order mark is no column", "\ufeff{x}",
			"c.json:1:2: invalid character 'x' looking for beginning of object key string; correct the JSON here",
		},
		{
			"a typographic quote is named whole", `{“a”: 1}`,
			"c.json:1:2: invalid character '“' looking for beginning of object key string; correct the JSON here",
		},
		{
			"a no-break space cannot be seen", "{\u00a0}",
			`c.json:1:2: invalid character '\u00a0' looking for beginning of object key string; correct the JSON here`,
		},
		{
			"a control character is quoted", "{\x1b}",
			`c.json:1:2: invalid character '\x1b' looking for beginning of object key string; correct the JSON here`,
		},
		{
			"a file that ends early, its end before the white space", " {\n\"mcpServers\": {\n\n",
			"c.json:2:16: unexpected end of JSON input; close every string, bracket and brace",
		},
		{
			"garbage behind the object", "{\"mcpServers\": {}}\n\n  garbage",
			"c.json:3:3: invalid character 'g' after top-level value; remove what follows the configuration",
		},
		{
			"a second object behind the object", `{"mcpServers": {}}{}`,
			"c.json:1:19: invalid character '{' after top-level value; remove what follows the configuration",
		},
		{
			"a Windows path with single backslashes", `{"a": "C:\Program"}`,
			`c.json:1:11: invalid character 'P' in string escape code; write a backslash as \\`,
		},
		{
			"a Windows path that looks like a Unicode escape", `{"a": "C:\users"}`,
			`c.json:1:12: invalid character 's' in \u hexadecimal character escape; write a backslash as \\`,
		},
		{
			"a string over two lines", "{\"a\": \"b\n\"}",
			`c.json:1:9: invalid character '\n' in string literal; close the string on its line, or write \n or \t`,
		},
		{
			"nesting without end", strings.Repeat("[", 10_001),
			"c.json:1:10001: invalid character '[' exceeded max depth; correct the JSON here",
		},
	})
}

func TestCommentsAndTrailingCommasAreNamed(t *testing.T) {
	const (
		comment   = ": comments are not allowed in JSON; remove the comment"
		comma     = ": a comma before a closing bracket is not allowed in JSON; remove the trailing comma"
		beginning = " looking for beginning of value; correct the JSON here"
	)
	runRefusals(t, config.InvalidJSON, []refusal{
		{"a line comment at the top", "// mine\n{}", "c.json:1:1" + comment},
		{"a line comment behind a value", "{\"a\": 1 // mine\n}", "c.json:1:9" + comment},
		{"a block comment before a name", "{\n  /* mine */ \"a\": 1}", "c.json:2:3" + comment},
		{"a comment behind the object", "{} /* mine */", "c.json:1:4" + comment},
		{"a comment behind a comma", "{\"a\": 1, // mine\n}", "c.json:1:10" + comment},
		{"a single slash is no comment", `{"a": /}`, "c.json:1:7: invalid character '/'" + beginning},
		{
			"two slashes within a literal are no comment", `{"a": tr//}`,
			"c.json:1:9: invalid character '/' in literal true (expecting 'u'); correct the JSON here",
		},
		{"a trailing comma in an object", `{"a": 1,}`, "c.json:1:8" + comma},
		{"a trailing comma in an array", `{"a": [1,]}`, "c.json:1:9" + comma},
		{"a trailing comma on the line before", "{\"a\": 1 , \r\n\t}", "c.json:1:9" + comma},
		{"a bracket without a value is no trailing comma", `{"a": }`, "c.json:1:7: invalid character '}'" + beginning},
		{"two commas are no trailing comma", `{"a": [1,,2]}`, "c.json:1:10: invalid character ','" + beginning},
	})
}

func TestASyntaxErrorIsWrapped(t *testing.T) {
	inFolder(t)
	_, err := resolve(t, "c.json", "{")
	if _, ok := errors.AsType[*json.SyntaxError](err); !ok {
		t.Errorf("no *json.SyntaxError in %v", err)
	}
}

func TestCommentsWithinStringsAreText(t *testing.T) {
	inFolder(t)
	resolved := mustResolve(t, "c.json", oneServer(`"command": "http://x /* y */,}"`))
	if got, want := resolved.Servers[0].Command, "http://x /* y */,}"; got != want {
		t.Errorf("command %q, want %q", got, want)
	}
}
