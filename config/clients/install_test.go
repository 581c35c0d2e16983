package clients_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config/clients"
	"mcp-aggregator/testutil/clienttest"
)

const entry = `"aggregator": {
      "command": "/bin/mcp-simple-aggregator",
      "args": ["--config", "/home/you/mcp.json"]
    }`

func TestInstallKeepsTheLayout(t *testing.T) {
	for name, test := range map[string]struct{ client, before, after string }{
		"a file that is missing":  {"claude-desktop", "", "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}\n"},
		"an empty object":         {"claude-desktop", "{}", "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}"},
		"an object of no servers": {"claude-desktop", "{\n  \"mcpServers\": {}\n}", "{\n  \"mcpServers\": {\n    " + entry + "\n  }\n}"},
		"VS Code": {
			"vscode", "{\n  \"servers\": {\n  }\n}",
			"{\n  \"servers\": {\n    " + strings.Replace(entry, `"command"`, "\"type\": \"stdio\",\n      \"command\"", 1) + "\n  }\n}",
		},
		"other members only": {
			"gemini", "{\n  \"theme\": \"dark\" // c\n}\n",
			"{\n  \"theme\": \"dark\", // c\n  \"mcpServers\": {\n    " + entry + "\n  }\n}\n",
		},
		"one line": {
			"claude-desktop", `{"mcpServers":{"a":{"command":"x"}}}`,
			`{"mcpServers":{"a":{"command":"x"},"aggregator":{"command":"/bin/mcp-simple-aggregator","args":["--config","/home/you/mcp.json"]}}}`,
		},
		"one line with room": {
			"claude-desktop", `{ "mcpServers": { "a": {} } }`,
			`{ "mcpServers": { "a": {}, "aggregator": {"command": "/bin/mcp-simple-aggregator", "args": ["--config", "/home/you/mcp.json"]} } }`,
		},
		"tabs, CRLF and trailing commas": {
			"claude-desktop", "{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}, // c\r\n\t},\r\n}",
			"{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {}, // c\r\n\t\t" +
				strings.NewReplacer("\n      ", "\r\n\t\t\t", "\n    ", "\r\n\t\t").Replace(entry) + ",\r\n\t},\r\n}",
		},
		"an entry of ours for another file": {
			"claude-desktop", "{\n  \"mcpServers\": {\n    \"aggregator\": {\"command\": \"/old/mcp-simple-aggregator\", \"args\": [\"--config\", \"x\"]} // c\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"aggregator\": {\"command\": \"/bin/mcp-simple-aggregator\", \"args\": [\"--config\", \"/home/you/mcp.json\"]} // c\n  }\n}",
		},
	} {
		if got := mustInstall(t, installation(t, test.client), test.before); got != test.after {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, test.after)
		}
	}
}

func TestInstallReportsErrors(t *testing.T) {
	for name, test := range map[string]struct{ client, file, want string }{
		"another server with the key": {
			"claude-desktop", "{\"mcpServers\":\n {\"aggregator\": {\"command\": \"hunter2\"}}}",
			"f.json:2:3: mcpServers.aggregator: another server has this key; choose one with --key",
		},
		"invalid JSON":       {"claude-desktop", "{\n  \"a\": hunter2}", "f.json:2:8: invalid value; correct the JSON here"},
		"what breaks off":    {"claude-desktop", "{\"a\"", "f.json:1:5: parsing object after name: unexpected EOF; correct the JSON here"},
		"UTF-16":             {"claude-desktop", "\xff\xfe{", "f.json:1:1: file is encoded as UTF-16; save it as UTF-8"},
		"an array":           {"claude-desktop", "[]", `f.json:1:1: value is not an object; write {"mcpServers": {...}}`},
		"servers of no kind": {"vscode", `{"servers": 1}`, `f.json:1:13: value of "servers" is not an object; write {...}`},
		"servers twice":      {"claude-desktop", `{"mcpServers": {}, "mcpServers": {}}`, `f.json:1:20: member "mcpServers" occurs twice; remove one of them`},
		"a very deep file":   {"claude-desktop", strings.Repeat("[", 1_000_000), "f.json:1:1: file nests deeper than 10000 levels; give the path of a client's configuration"},
	} {
		if _, err := installation(t, test.client).Install([]byte(test.file)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v\nwant %s", name, err, test.want)
		}
	}
	in := installation(t, "gemini")
	in.Key = ""
	if _, err := in.Install([]byte("{}")); err == nil || err.Error() != "f.json: key of the entry is empty; name one with --key" {
		t.Errorf("no key: %v", err)
	}
	in.Key = "aggregator"
	in.Args[1] = "/home/$USER/mcp.json"
	if _, err := in.Install([]byte("{}")); err == nil || !strings.Contains(err.Error(), "Gemini CLI would expand the path") {
		t.Errorf("a path that is a variable: %v", err)
	}
}

func TestUninstallLeavesOtherServersAlone(t *testing.T) {
	in := installation(t, "claude-desktop")
	for _, file := range []string{"", "{}", `{"mcpServers": {"a": {}}}`} {
		if _, _, err := in.Uninstall([]byte(file)); !errors.Is(err, clients.ErrNotInstalled) {
			t.Errorf("%q: %v", file, err)
		}
	}
	const want = "f.json:1:17: mcpServers.aggregator: this is another server, not mcp-simple-aggregator; choose the entry with --key"
	if _, _, err := in.Uninstall([]byte(`{"mcpServers": {"aggregator": {"command": "x"}}}`)); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestInstallingAgainChangesNothingElseInTheEntry(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"other members": {
			`{ "command": "/old/mcp-simple-aggregator", /* c */ "env": {"KEY": "hunter2"}, "args": [ "--config", /* d */ "x" ], "timeout": 60 }`,
			`{ "command": "/bin/mcp-simple-aggregator", /* c */ "env": {"KEY": "hunter2"}, "args": [ "--config", /* d */ "/home/you/mcp.json" ], "timeout": 60 }`,
		},
		"arguments of another number": {
			"{\n      \"command\": \"npx\", // c\n      \"args\": [\n        \"-y\", \"mcp-simple-aggregator\", \"--config\", \"x\"\n      ], // d\n    }",
			"{\n      \"command\": \"/bin/mcp-simple-aggregator\", // c\n      \"args\": [\"--config\", \"/home/you/mcp.json\"], // d\n    }",
		},
		"no arguments yet": {
			`{"command": "mcp-simple-aggregator"}`,
			`{"command": "/bin/mcp-simple-aggregator", "args": ["--config", "/home/you/mcp.json"]}`,
		},
	} {
		in := installation(t, "claude-desktop")
		if got := mustInstall(t, in, `{"mcpServers": {"aggregator": `+test.before+`}}`); got != `{"mcpServers": {"aggregator": `+test.after+`}}` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestExistingFlagsAreKept(t *testing.T) {
	for name, test := range map[string]struct{ standing, given, want, kept string }{
		"none given":       {"--config old --deny x --debug", "", "--config /home/you/mcp.json --deny x --debug", "--deny --debug"},
		"another given":    {"--config old --deny x", "--only=a", "--config /home/you/mcp.json --deny x --only=a", "--deny"},
		"the same given":   {"--deny x --config old --deny=y", "--deny=x --deny=y", "--deny x --deny=y --config /home/you/mcp.json", ""},
		"given anew":       {"--debug --deny x --config=old", "--deny=z", "--debug --deny=z --config /home/you/mcp.json", "--debug"},
		"with other words": {"serve --config old", "", "serve --config /home/you/mcp.json", ""},
		"after a launcher": {"-y mcp-simple-aggregator -- --config old --name n", "", "--config /home/you/mcp.json --name n", "--name"},
	} {
		in := installation(t, "cursor")
		in.Args = append(in.Args, strings.Fields(test.given)...)
		command := "mcp-simple-aggregator"
		if strings.HasPrefix(test.standing, "-y") {
			command = "npx"
		}
		file := encode(t, map[string]any{"mcpServers": map[string]any{"aggregator": map[string]any{"command": command, "args": strings.Fields(test.standing)}}})
		args, kept, err := in.Merge(file)
		if err != nil || strings.Join(args, " ") != test.want || strings.Join(kept, " ") != test.kept {
			t.Errorf("%s: %q, kept %q, %v", name, args, kept, err)
		}
		in.Args = args
		if again, _, err := in.Merge([]byte(mustInstall(t, in, string(file)))); err != nil || !slices.Equal(again, args) {
			t.Errorf("%s: again %q, %v", name, again, err)
		}
	}
}

func TestOnlyIsSplitLikeTheCommandLine(t *testing.T) {
	if got := clients.OnlyKeys([]string{"--only=a,b", "--deny", "--only", "--only", `c\,d`}); !slices.Equal(got, []string{"a", "b", "c,d"}) {
		t.Errorf("%q", got)
	}
}

func TestVariablesAreReferencedInTheSyntaxOfTheClient(t *testing.T) {
	for key, row := range clienttest.Rows() {
		if row.Files == nil {
			continue
		}
		in, want := installation(t, key), row.Reference
		in.Needs = []string{"API_KEY"}
		missing, err := in.Unprovided([]byte("{}"))
		if err != nil || len(missing) > 0 != (want == "") {
			t.Errorf("%s: missing %q, %v", key, missing, err)
		}
		after := mustInstall(t, in, "{}")
		if has := strings.Contains(after, `"API_KEY": "`+want+`"`); has != (want != "") {
			t.Errorf("%s: %s", key, after)
		}
		if again := mustInstall(t, in, after); again != after {
			t.Errorf("%s: again %s", key, again)
		}
	}
}

func TestVariablesAreAddedToAnExistingEntry(t *testing.T) {
	const before = `{"inputs": [{"id": "api-key"}, {"id": "twin"}, {"id": "TWIN"}], "servers": {"aggregator": {"command": "mcp-simple-aggregator", "env": {"A": "hunter2"}}}}`
	in := installation(t, "vscode")
	in.Needs = []string{"A", "API_KEY", "TWIN"}
	after := mustInstall(t, in, before)
	const want = `"env": {"A": "hunter2", "API_KEY": "${input:api-key}", "TWIN": "${env:TWIN}"}, "args": ["--config", "/home/you/mcp.json"]}`
	if !strings.Contains(after, want) {
		t.Errorf("%s", after)
	}
	if again := mustInstall(t, in, after); again != after {
		t.Errorf("again %s", again)
	}
}

func TestInheritedVariablesAreNotWithheld(t *testing.T) {
	names := []string{"HOME", "TOKEN", "Path", "USERPROFILE"}
	if got := clients.Withheld("linux", names); !slices.Equal(got, []string{"TOKEN", "Path", "USERPROFILE"}) {
		t.Errorf("%q", got)
	}
	if got := clients.Withheld("windows", names); !slices.Equal(got, []string{"HOME", "TOKEN"}) {
		t.Errorf("%q", got)
	}
}

func TestASecondEntryForTheSameFileIsAnError(t *testing.T) {
	in := installation(t, "claude-desktop")
	in.Key = "hub"
	const want = "f.json:1:17: mcpServers.aggregator: this entry serves the same file; choose it with --key, or remove it with uninstall"
	file := mustInstall(t, installation(t, "claude-desktop"), `{"mcpServers": {}}`)
	if _, err := in.Install([]byte(strings.Replace(file, "\n    ", "", 1))); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	in.Args[1] = "/home/you/other.json"
	if after := mustInstall(t, in, file); !strings.Contains(after, `"hub"`) {
		t.Errorf("%s", after)
	}
}
