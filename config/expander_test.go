package config_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/config"
)

func equal(t *testing.T, got, want any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("not as wanted (-want +got):\n%s", diff)
	}
}

func TestEverythingButKeysIsExpanded(t *testing.T) {
	folder := inFolder(t)
	resolved := mustResolve(t, "sub/c.json", `{"mcpServers": {"$A": {
		"command": "$A/bin", "args": ["-a", "${A}", "$$A"], "cwd": "$A",
		"env": {"$A": "$A", "Z": "z", "B": "${NOPE:-b}"}, "type": "stdio"
	}}}`, "A=one")
	equal(t, resolved, &config.McpConfig{
		Path: folder + "/sub/c.json",
		Servers: []config.ServerConfig{{
			Key:     "$A",
			Command: "one/bin",
			Args:    []string{"-a", "one", "$A"},
			Env:     []config.Var{{Name: "$A", Value: "one"}, {Name: "Z", Value: "z"}, {Name: "B", Value: "b"}},
			Dir:     folder + "/sub/one",
			Secrets: []string{folder + "/sub/one", "one"},
		}},
	})
}

func TestLoadDoesNotExpand(t *testing.T) {
	folder := inFolder(t)
	write(t, "c.json", `{"mcpServers": {
		"b": {"command": "$X", "args": ["${Y}", "", "\u00e4\n"], "env": {"N": "$Z"}, "cwd": "$W"},
		"off": {"disabled": true, "command": "x"},
		"a": {"command": "y"}
	}}`)
	file, err := load("c.json")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, file.Path, folder+"/c.json")
	equal(t, len(file.Problems), 0)
	equal(t, file.Servers, []config.Entry{
		{Key: "b", Command: "$X", Args: []string{"${Y}", "", "ä\n"}, Env: []config.Var{{Name: "N", Value: "$Z"}}, Cwd: new("$W")},
		{Key: "off", Disabled: true},
		{Key: "a", Command: "y"},
	}, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".at" }, cmp.Ignore()))
}

func TestAWorkingDirectoryIsRelativeToTheFolderOfTheFile(t *testing.T) {
	folder := inFolder(t)
	tests := []struct{ name, members, want string }{
		{"none", "", ""},
		{"null", `, "cwd": null`, ""},
		{"a dot", `, "cwd": "."`, folder + "/sub"},
		{"a folder", `, "cwd": "x/y"`, folder + "/sub/x/y"},
		{"the folder above", `, "cwd": "../z"`, folder + "/z"},
		{"an absolute one", `, "cwd": "/abs/x"`, "/abs/x"},
		{"a variable that is absolute", `, "cwd": "$HOME/x"`, "/home/me/x"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resolved := mustResolve(t, "sub/c.json", oneServer(`"command": "x"`+test.members), "HOME=/home/me")
			equal(t, filepath.ToSlash(resolved.Servers[0].Dir), test.want)
		})
	}
}

func TestTextsThatAreEmptyAfterExpansionAreReported(t *testing.T) {
	inFolder(t)
	_, err := resolve(t, "c.json", oneServer("\"command\": \"$EMPTY\",\n\"cwd\": \"${EMPTY}\""), "EMPTY=")
	wantProblems(t, err, config.InvalidSchema, ""+
		"c.json:2:12: mcpServers.a.command: command is empty after expansion; give its variables a value\n"+
		`c.json:3:8: mcpServers.a.cwd: folder is empty after expansion; give its variables a value, or leave "cwd" out`)

	_, err = resolve(t, "c.json", oneServer(`"command": "$BLANK${NOPE:-}"`), "BLANK= \t")
	wantProblems(t, err, config.InvalidSchema,
		"c.json:2:12: mcpServers.a.command: command is empty after expansion; give its variables a value")
}

func TestSecretsAreTheSubstitutedValues(t *testing.T) {
	inFolder(t)
	resolved := mustResolve(t, "c.json", `{"mcpServers": {
		"a": {"command": "run-$CMD", "args": ["--key=${ARG:-none}", "$ARG$EMPTY", "plain", "${NOPE:-fallback}"],
			"env": {"LITERAL": "hunter2", "MIXED": "pre-$VAL", "NONE": "", "SAME": "hunter2", "ALSO": "cc"}, "cwd": "$DIR"},
		"b": {"command": "x", "args": ["y"], "cwd": "z"}
	}}`, "CMD=cc", "ARG=aaa", "VAL=value", "DIR=/home/secret", "EMPTY=", "UNUSED=unused")
	equal(t, resolved.Servers[0].Secrets, []string{"/home/secret", "value", "aaa", "cc"})
	equal(t, len(resolved.Servers[1].Secrets), 0)
}

func TestAllProblemsAreReportedTogetherInFileOrder(t *testing.T) {
	inFolder(t)
	_, err := resolve(t, "c.json", `{"mcpServers": {
"z": {
  "env": {"K": "$TWO", "L": 1},
  "args": ["${THREE}", 4],
  "command": "$EMPTY"
},
"web": {"url": "$NOT_LOOKED_AT"},
"z": {"command": "$SIX", "env": {"M": "$SEVEN", "M": "$EIGHT"}}
}, "mcpServers": {}}`, "EMPTY=")
	notSet := func(name string) string {
		return `environment variable "` + name + `" is not set; set it before starting, give it a default with "${` + name + `:-...}", leave the server out with "disabled": true, `
	}
	want := `c.json:3:16: mcpServers.z.env.K: ` + notSet("TWO") + `or write "$$TWO" for a literal dollar
c.json:3:29: mcpServers.z.env.L: value is a number, not a string; put it in double quotes
c.json:4:12: mcpServers.z.args[0]: ` + notSet("THREE") + `or write "$${THREE}" for a literal dollar
c.json:4:24: mcpServers.z.args[1]: value is a number, not a string; put it in double quotes
c.json:5:14: mcpServers.z.command: command is empty after expansion; give its variables a value
c.json:8:1: mcpServers.z: server key occurs twice, on lines 2 and 8; rename or remove one of them
c.json:8:18: mcpServers.z.command: ` + notSet("SIX") + `or write "$$SIX" for a literal dollar
c.json:8:39: mcpServers.z.env.M: ` + notSet("SEVEN") + `or write "$$SEVEN" for a literal dollar
c.json:8:49: mcpServers.z.env.M: variable occurs twice, on lines 8 and 8; remove one of them
c.json:8:54: mcpServers.z.env.M: ` + notSet("EIGHT") + `or write "$$EIGHT" for a literal dollar
c.json:9:4: mcpServers: member occurs twice, on lines 1 and 9; merge the two into one`
	if err == nil || err.Error() != want {
		t.Errorf("problems:\n%v\nwant:\n%s", err, want)
	}
}

func TestTheProblemsOfAFileAreInFileOrder(t *testing.T) {
	inFolder(t)
	write(t, "c.json", oneServer("\"cwd\": 1,\n\"args\": 2,\n\"command\": 3"))
	file, err := load("c.json")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, problem := range file.Problems {
		got = append(got, problem.Path)
	}
	equal(t, got, []string{"mcpServers.a.cwd", "mcpServers.a.args", "mcpServers.a.command"})
}

func TestExpandDoesNotChangeTheFile(t *testing.T) {
	inFolder(t)
	write(t, "c.json", `{"mcpServers": {"": {"command": "$A", "args": ["$A"]}}}`)
	file, err := load("c.json")
	if err != nil {
		t.Fatal(err)
	}
	expander := config.NewExpander(config.Env{})
	_, first := expander.Expand(file)
	_, second := expander.Expand(file)
	if first == nil || second == nil || first.Error() != second.Error() {
		t.Errorf("first:\n%v\nthen:\n%v", first, second)
	}
	equal(t, len(file.Problems), 1)
	equal(t, file.Servers[0].Args, []string{"$A"})
}

// Join and Clean change the spelling of a value, and messages show the result.
func TestAFolderWithASubstitutedValueIsASecret(t *testing.T) {
	folder := inFolder(t)
	resolved := mustResolve(t, "c.json", `{"mcpServers": {"a": {"command": "x", "cwd": "$A"}, "b": {"command": "x", "cwd": "plain"}}}`, "A=s3//cr3t/./x")
	equal(t, resolved.Servers[0].Secrets, []string{folder + "/s3/cr3t/x", "s3//cr3t/./x"})
	equal(t, len(resolved.Servers[1].Secrets), 0)
}
