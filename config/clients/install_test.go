package clients_test

import (
	"errors"
	"strings"
	"testing"

	"mcp-aggregator/config/clients"
)

const entry = `"aggregator": {
      "command": "/bin/mcp-simple-aggregator",
      "args": ["--config", "/home/you/mcp.json"]
    }`

func TestInstallFollowsTheFile(t *testing.T) {
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

func TestInstallRefuses(t *testing.T) {
	for name, test := range map[string]struct{ client, file, want string }{
		"another server with the key": {
			"claude-desktop", "{\"mcpServers\":\n {\"aggregator\": {\"command\": \"hunter2\"}}}",
			"f.json:2:3: mcpServers.aggregator: another server has this key; choose one with --key",
		},
		"what is no JSON":    {"claude-desktop", "{\n  \"a\": hunter2}", "f.json:2:8: invalid value; correct the JSON here"},
		"what breaks off":    {"claude-desktop", "{\"a\"", "f.json:1:5: parsing object after name: unexpected EOF; correct the JSON here"},
		"UTF-16":             {"claude-desktop", "\xff\xfe{", "f.json:1:1: file is encoded as UTF-16; save it as UTF-8"},
		"an array":           {"claude-desktop", "[]", `f.json:1:1: value is not an object; write {"mcpServers": {...}}`},
		"servers of no kind": {"vscode", `{"servers": 1}`, `f.json:1:13: value of "servers" is not an object; write {...}`},
		"servers twice":      {"claude-desktop", `{"mcpServers": {}, "mcpServers": {}}`, `f.json:1:20: member "mcpServers" stands twice; remove one of them`},
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
