package clients_test

import (
	"strings"
	"testing"

	"mcp-aggregator/config/clients"
)

// imported returns the files' servers as they are written, and what is told.
func imported(t *testing.T, key, folder, file string) (text, told string) {
	t.Helper()
	found := clients.Collection{System: clients.System{GOOS: "linux"}}
	if err := found.Add(client(t, key), folder, "f.json", []byte(file)); err != nil {
		t.Fatal(err)
	}
	return string(clients.Compose(found.Servers)), linesOf(found)
}

func TestUnknownVariablesAreToldAsFarAsTheyLookLikeNames(t *testing.T) {
	for written, want := range map[string]string{
		"${SECRET!hunter2}":         "variable ${SECRET...} is",
		"${!hunter2}":               "variable ${...} is",
		"${env:A hunter2}":          "variable ${env:A...} is",
		"${command:pick}":           "variable ${command:pick} is",
		"${config:a.b}":             "variable ${config:a.b} is",
		"${NAME}":                   "variable ${NAME} is",
		"${NAME-hunter2}":           "variable ${NAME...} is",
		"${input:none}":             "variable ${input:none} has no definition",
		"${input:none and hunter2}": "variable ${input:none...} has no definition",
	} {
		_, told := imported(t, "vscode", "", `{"servers": {"a": {"command": "x", "args": ["`+written+`"]}}}`)
		if !strings.Contains(told, want) || strings.Contains(told, "hunter2") {
			t.Errorf("%s: %s", written, told)
		}
	}
}

func TestWhatVSCodeAsksForIsTold(t *testing.T) {
	for input, want := range map[string]string{
		`{"id": "id", "description": "what"}`: "set ID (input id: what)\n",
		`{"id": "id"}`:                        "set ID (input id)\n",
		`{"id": "id", "type": "pickString", "description": "what", "default": "a"}`:      "set ID (input id: what (by default a))\n",
		`{"id": "id", "type": "pickString", "default": "a"}`:                             "set ID (input id: (by default a))\n",
		`{"id": "id", "type": "promptString", "description": "x", "default": "hunter2"}`: "set ID (input id: x)\n",
	} {
		file := `{"inputs": [` + input + `], "servers": {"a": {"command": "${input:id}"}}}`
		if _, told := imported(t, "vscode", "", file); told != want {
			t.Errorf("%s: %q, want %q", input, told, want)
		}
	}
}

func TestRelativeCommandsAreThoseOfTheFolder(t *testing.T) {
	const none = `left out mcpServers.a: "command" is relative to wherever Cursor is started; write an absolute path` + "\n"
	for name, test := range map[string]struct{ folder, server, command, told string }{
		"of a project":                  {"/work", `"command": "./bin/srv"`, "/work/bin/srv", ""},
		"of a project with dollars":     {"/work/$A", `"command": "bin/srv"`, "/work/$$A/bin/srv", ""},
		"of a project, with a folder":   {"/work", `"command": "../srv", "cwd": "sub"`, "/work/sub/../srv", ""},
		"of nowhere":                    {"", `"command": "./bin/srv"`, "", none},
		"of nowhere, as Windows has it": {"", `"command": "bin\\srv"`, "", none},
		"of an absolute folder":         {"", `"command": "bin/srv", "cwd": "/opt/"`, "/opt/bin/srv", ""},
		"that are on the PATH":          {"", `"command": "srv"`, "srv", ""},
		"that are absolute":             {"", `"command": "/bin/srv"`, "/bin/srv", ""},
	} {
		text, told := imported(t, "cursor", test.folder, `{"mcpServers": {"a": {`+test.server+`}}}`)
		if told != test.told || test.command != "" && !strings.Contains(text, `"command": "`+test.command+`"`) {
			t.Errorf("%s: %s%s", name, text, told)
		}
	}
}
