package config_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mcp-aggregator/config"
	"mcp-aggregator/testutil"
)

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "{", "{}", "[]", "null", "{} x", "// c\n{}", `{"a": 1,}`, "\xff\xfe{", "\ufeff{}", "\xff", "{\"\xe2\x82",
		`{"mcpServers": null}`, `{"mcpServers": {}}`, `{"mcpServers": {}, "mcpServers": {}}`, `{"mcpServers": {"a": null}}`,
		`{"mcpServers": {"a": {"command": "x", "args": ["$A", 1], "env": {"N": "1", "N": "2", "": "", "=": ""}, "cwd": ""}}}`,
		`{"mcpServers": {"b": {"command": "x"}, "a": {"command": "y"}, "\u0062": {"command": "z"}}}`,
		`{"mcpServers": {"a": {"disabled": true, "disabled": true, "url": "x"}, "c": {"disabled": true, "args": 1}}}`,
		`{"mcpServers": {"a": {"type": "sse", "url": 1}, "b": {"type": 1, "url": null, "command": "\u0000"}}}`,
		"{\r\n\t\"mcpServers\" : { \"\x7f\" : {\"command\" : \"\\ud800\" , \"other\" : 1e999 } } } ",
	} {
		f.Add([]byte(seed))
	}
	for _, input := range testutil.Corpus(f, "FuzzLoad") {
		f.Add([]byte(input[0]))
	}
	path := filepath.Join(f.TempDir(), "c.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := load(path)
		if err != nil {
			checkMessages(t, err, text)
			return
		}
		if _, err := config.NewExpander(config.Env{}).Expand(file); err != nil {
			checkMessages(t, err, text)
		}
		checkFile(t, file, bytes.TrimPrefix(text, []byte("\ufeff")))
	})
}

// checkMessages checks that each problem is one line and has a position in the text.
func checkMessages(t *testing.T, err error, text []byte) {
	t.Helper()
	lines := bytes.Count(text, []byte("\n")) + 1
	for _, problem := range problemsOf(t, err) {
		if strings.ContainsFunc(problem.Error(), unicode.IsControl) || !strings.Contains(problem.Message, "; ") {
			t.Errorf("message %q", problem)
		}
		if problem.Line > lines || problem.Column > len(text)+1 || (problem.Line == 0) != (problem.Column == 0) {
			t.Errorf("%q is at %d:%d", problem, problem.Line, problem.Column)
		}
	}
}

func checkFile(t *testing.T, file *config.File, text []byte) {
	t.Helper()
	if !json.Valid(text) {
		t.Fatalf("loaded invalid JSON: %q", text)
	}
	root := naive(json.NewDecoder(bytes.NewReader(text)))
	servers, _ := firstMember(root, "mcpServers")
	pairs, isObject := servers.([]pair)
	if !isObject {
		t.Fatalf("loaded without servers: %q", text)
	}
	if occursTwice(root, pairs) && len(file.Problems) == 0 {
		t.Fatalf("something occurs twice in %q", text)
	}
	if len(file.Problems) == 0 {
		checkServers(t, file.Servers, pairs)
	}
}

func occursTwice(root any, servers []pair) bool {
	if hasRepeatedName(root, "mcpServers") || hasRepeatedName(servers) {
		return true
	}
	return slices.ContainsFunc(servers, func(server pair) bool {
		disabled, repeated := firstMember(server.value, "disabled")
		if skip, _ := disabled.(bool); skip && !repeated {
			return false
		}
		env, _ := firstMember(server.value, "env")
		return hasRepeatedName(env) || hasRepeatedName(server.value,
			"command", "args", "env", "cwd", "disabled", "type", "url", "serverUrl", "httpUrl")
	})
}

func checkServers(t *testing.T, got []config.Entry, want []pair) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d servers, want %d", len(got), len(want))
	}
	for i, server := range want {
		if got[i].Key != server.name {
			t.Errorf("server %d is %q, want %q", i, got[i].Key, server.name)
		}
		command, _ := firstMember(server.value, "command")
		if !got[i].Disabled && got[i].Command != command {
			t.Errorf("command %q, want %q", got[i].Command, command)
		}
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("plain", "A", "1")
	f.Add("$A ${A} $$A $${A} ${A:-x}", "A", "$A")
	f.Add("${:-x}${}${ ${B:-}$", ":-x", "}")
	f.Add("$$$A$$${A}$$$$A${A$A}", "A$A", "${A}")
	f.Add("$_0$0_${a\nb}$\xff${\xff}", "\xff", "\x00")
	f.Add("${MISSING}$MISSING$ALSO${MISSING:-d}", "B", "")
	for _, input := range testutil.Corpus(f, "FuzzExpand") {
		f.Add(input[0], input[1], input[2])
	}
	f.Fuzz(func(t *testing.T, text, name, value string) {
		env := config.NewEnv([]string{name + "=" + value})
		want, missing := oracle(text, env.Lookup)
		resolved, err := config.NewExpander(env).Expand(withArg(text))
		if err != nil {
			wantMissing(t, err, missing)
			return
		}
		if got := resolved.Servers[0].Args[0]; got != want || missing != nil {
			t.Errorf("%q expands to %q, want %q without %q", text, got, want, missing)
		}
	})
}
