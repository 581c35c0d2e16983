package clients_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/config"
	"mcp-aggregator/config/clients"
	"mcp-aggregator/testutil/clienttest"
)

// imported returns the servers of the files as they are written, and the messages.
func imported(t *testing.T, key, folder, file string) (text, messages string) {
	t.Helper()
	found := clients.Collection{System: clients.System{GOOS: "linux"}}
	if err := found.Add(client(t, key), folder, "f.json", []byte(file)); err != nil {
		t.Fatal(err)
	}
	return string(clients.Compose(found.Servers)), linesOf(found)
}

func TestMessagesShowOnlyTheNamesOfUnknownVariables(t *testing.T) {
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
		_, messages := imported(t, "vscode", "", `{"servers": {"a": {"command": "x", "args": ["`+written+`"]}}}`)
		if !strings.Contains(messages, want) || strings.Contains(messages, "hunter2") {
			t.Errorf("%s: %s", written, messages)
		}
	}
}

func TestInputsOfVSCodeBecomeVariables(t *testing.T) {
	for input, want := range map[string]string{
		`{"id": "id", "description": "what"}`: "set ID (input id: what)\n",
		`{"id": "id"}`:                        "set ID (input id)\n",
		`{"id": "id", "type": "pickString", "description": "what", "default": "a"}`:      "set ID (input id: what (by default a))\n",
		`{"id": "id", "type": "pickString", "default": "a"}`:                             "set ID (input id: (by default a))\n",
		`{"id": "id", "type": "promptString", "description": "x", "default": "hunter2"}`: "set ID (input id: x)\n",
	} {
		file := `{"inputs": [` + input + `], "servers": {"a": {"command": "${input:id}"}}}`
		if _, messages := imported(t, "vscode", "", file); messages != want {
			t.Errorf("%s: %q, want %q", input, messages, want)
		}
	}
}

func TestRelativeCommandsStartFromTheFolder(t *testing.T) {
	const none = `left out mcpServers.a: "command" is relative to the folder that Cursor is started in; write an absolute path` + "\n"
	for name, test := range map[string]struct{ folder, server, command, messages string }{
		"of a project":                  {"/work", `"command": "./bin/srv"`, "/work/bin/srv", ""},
		"of a project with dollars":     {"/work/$A", `"command": "bin/srv"`, "/work/$$A/bin/srv", ""},
		"of a project, with a folder":   {"/work", `"command": "../srv", "cwd": "sub"`, "/work/sub/../srv", ""},
		"of nowhere":                    {"", `"command": "./bin/srv"`, "", none},
		"of nowhere, as Windows has it": {"", `"command": "bin\\srv"`, "", none},
		"of an absolute folder":         {"", `"command": "bin/srv", "cwd": "/opt/"`, "/opt/bin/srv", ""},
		"that are on the PATH":          {"", `"command": "srv"`, "srv", ""},
		"that are absolute":             {"", `"command": "/bin/srv"`, "/bin/srv", ""},
	} {
		text, messages := imported(t, "cursor", test.folder, `{"mcpServers": {"a": {`+test.server+`}}}`)
		if messages != test.messages || test.command != "" && !strings.Contains(text, `"command": "`+test.command+`"`) {
			t.Errorf("%s: %s%s", name, text, messages)
		}
	}
}

// environment is the environment of both the client and the aggregator.
var environment = map[string]string{"A": "1", "B": "$A ${A} ${env:A}", "EMPTY": "", "a_b": "x}y", "HOME": "/home/you", "ID": "asked"}

const folder = "/work/$A/{x}"

// models returns what each client does with a text, according to its documentation.
func models() map[string]func(text string) string {
	machine := clienttest.Machine{Environment: environment, Folder: folder, Inputs: map[string]string{"id": environment["ID"]}}
	all := make(map[string]func(string) string)
	for key, row := range clienttest.Rows() {
		if row.Expand != nil {
			all[key] = func(text string) string { return row.Expand(machine, text) }
		}
	}
	return all
}

// textLike generates text that mostly looks like variables.
func textLike() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"$", "$$", "${", "}", "{", ":-", "x", "A", "B", "_", "-", " ", "$A", "$a_b", "$AB", "${A}", "${B}", "${EMPTY}", "${a_b}", "${A:-x}", "${NO:-y}",
		"${NO:-$A}", "${NO:-${A}}", "${:-z}", "${env:A}", "${env:B}", "${userHome}", "${workspaceFolder}", "${workspaceFolderBasename}", "${/}", "${input:id}", "é", "\"", "\\", "<",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
	})
}

func TestImportedServersMeanTheSameAsInTheirClient(t *testing.T) {
	for key, model := range models() {
		t.Run(key, func(t *testing.T) {
			taken := 0
			rapid.Check(t, func(t *rapid.T) {
				if checkMeaning(t, client(t, key), model, textLike().Draw(t, "text")) {
					taken++
				}
			})
			if taken == 0 {
				t.Error("no server was imported")
			}
		})
	}
}

// checkMeaning imports a server with that text and expands it as if started by ours.
// A server that cannot be imported must be listed.
func checkMeaning(t tb, c clients.Client, model func(string) string, text string) (taken bool) {
	t.Helper()
	found := clients.Collection{System: clients.System{GOOS: "linux", Lookup: config.NewEnv(environ()).Lookup}}
	file := encode(t, map[string]any{
		"inputs":  []any{map[string]any{"id": "id", "description": "what"}},
		c.Servers: map[string]any{"s": map[string]any{"command": "x", "args": []string{text}, "env": map[string]string{"E": text}}},
	})
	if err := found.Add(c, folder, "f.json", file); err != nil {
		t.Fatalf("%v", err)
	}
	if len(found.Servers) == 0 {
		if len(found.LeftOut) != 1 {
			t.Fatalf("%q: neither imported nor listed", text)
		}
		return false
	}
	read, err := config.Read("/c.json", clients.Compose(found.Servers))
	if err != nil || len(read.Problems) > 0 {
		t.Fatalf("%q: %v %v", text, err, read.Problems)
	}
	resolved, err := config.NewExpander(config.NewEnv(environ())).Expand(read)
	if err != nil {
		if !needsSomething(found.Servers) {
			t.Fatalf("%q: %v", text, err)
		}
		return true
	}
	want, server := model(text), resolved.Servers[0]
	if server.Args[0] != want || server.Env[0].Value != want || server.Dir != folder {
		t.Fatalf("%q, written %q, becomes %q, %q in %q; the client makes it %q",
			text, found.Servers[0].Args[0], server.Args[0], server.Env[0].Value, server.Dir, want)
	}
	return true
}

// needsSomething reports whether a variable is not set. Clients differ in what they do
// then, and the aggregator does not start.
func needsSomething(servers []clients.Server) bool {
	return len(clients.Unset(servers, config.NewEnv(environ()))) > 0
}

func environ() (lines []string) {
	for name, value := range environment {
		lines = append(lines, name+"="+value)
	}
	slices.Sort(lines)
	return lines
}

type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

func encode(t tb, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return text
}

func FuzzTranslate(f *testing.F) {
	for _, text := range []string{
		"$${A}", "$$$A", "${a${env:A}}", "${${A}", "${A:-${B}}", "$${env:A}$", "${input:id}", "${workspaceFolder:x}", "$a_b${A}", "${env:A:-b}", "\x00", "\xff${A}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ToValidUTF8(text, "") != text {
			return
		}
		for key, model := range models() {
			checkMeaning(t, client(t, key), model, text)
		}
	})
}
