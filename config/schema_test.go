package config_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config"
)

func TestAnUnusableTopLevelIsReported(t *testing.T) {
	const write = `; write {"mcpServers": {...}}`
	runRefusals(t, config.InvalidSchema, []refusal{
		{"an array", "\n [1]", "c.json:2:2: value is an array, not an object" + write},
		{"a string", `"x"`, "c.json:1:1: value is a string, not an object" + write},
		{"a number", "-1", "c.json:1:1: value is a number, not an object" + write},
		{"a boolean", "false", "c.json:1:1: value is a boolean, not an object" + write},
		{"null", "null", "c.json:1:1: value is null, not an object" + write},
		{"no mcpServers", `{"a": 1}`, "c.json:1:1: mcpServers: member is missing" + write},
		{"an mcpServers further down", `{"a": {"mcpServers": {}}}`, "c.json:1:1: mcpServers: member is missing" + write},
		{
			"an mcpServers in other letters", "{\n\"mcpservers\": {}}",
			`c.json:1:1: mcpServers: member is missing; rename "mcpservers" (line 2) to "mcpServers"`,
		},
		{
			"the servers of VS Code", "{\"inputs\": [],\n\n\"servers\": {}}",
			`c.json:1:1: mcpServers: member is missing; rename "servers" (line 3) to "mcpServers"`,
		},
		{"an array of servers", `{"mcpServers": []}`, "c.json:1:16: mcpServers: value is an array, not an object" + write},
		{"null for servers", `{"mcpServers": null}`, "c.json:1:16: mcpServers: value is null, not an object" + write},
	})
}

func TestLoadReportsAnUnusableTopLevel(t *testing.T) {
	inFolder(t)
	for _, text := range []string{"", "{", "[]", "{}", `{"mcpServers": 1}`} {
		write(t, "c.json", text)
		if _, err := load("c.json"); len(problemsOf(t, err)) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRepeatedNamesAreReportedWithBothLines(t *testing.T) {
	runRefusals(t, config.InvalidSchema, []refusal{
		{
			"mcpServers", "{\"mcpServers\": {},\n\"mcpServers\": {}}",
			"c.json:2:1: mcpServers: member occurs twice, on lines 1 and 2; merge the two into one",
		},
		{
			"a server", "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"b\": {\"command\": \"y\"},\n\"a\": {\"command\": \"z\"}}}",
			"c.json:4:1: mcpServers.a: server key occurs twice, on lines 2 and 4; rename or remove one of them",
		},
		{
			"a server, once disabled", "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"a\": {\"disabled\": true}}}",
			"c.json:3:1: mcpServers.a: server key occurs twice, on lines 2 and 3; rename or remove one of them",
		},
		{
			"a server, once escaped", "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"\\u0061\": {\"command\": \"x\"}}}",
			"c.json:3:1: mcpServers.a: server key occurs twice, on lines 2 and 3; rename or remove one of them",
		},
		{
			"a server, three times", "{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"x\"},\n\"a\": {\"command\": \"x\"}}}",
			"c.json:3:1: mcpServers.a: server key occurs twice, on lines 2 and 3; rename or remove one of them\n" +
				"c.json:4:1: mcpServers.a: server key occurs twice, on lines 2 and 4; rename or remove one of them",
		},
		{
			"a variable", oneServer("\"command\": \"x\", \"env\": {\"N\": \"1\",\n  \"N\": \"2\"}"),
			"c.json:3:3: mcpServers.a.env.N: variable occurs twice, on lines 2 and 3; remove one of them",
		},
	})
}

func TestEveryKnownMemberMayOccurOnce(t *testing.T) {
	inFolder(t)
	values := map[string]string{
		"command": `"x"`, "args": "[]", "env": "{}", "cwd": `"d"`, "type": `"stdio"`,
		"disabled": "false", "url": "null", "serverUrl": "null", "httpUrl": "null",
	}
	for name, value := range values {
		member := `"` + name + `": ` + value
		text := oneServer(member + ",\n" + member + withCommand(name))
		_, err := resolve(t, "c.json", text)
		wantProblems(t, err, config.InvalidSchema,
			"c.json:3:1: mcpServers.a."+name+": member occurs twice, on lines 2 and 3; remove one of them")
	}
}

func withCommand(unless string) string {
	if unless == "command" {
		return ""
	}
	return `, "command": "x"`
}

func TestUnknownMembersAreIgnoredEvenRepeated(t *testing.T) {
	inFolder(t)
	resolved := mustResolve(t, "c.json", `{
		"preferences": {"x": [1, {"y": null}]}, "preferences": 2, "mcpservers": 3, "servers": 4,
		"mcpServers": {"a": {"autoApprove": ["$NOPE"], "Command": 1, "autoApprove": 2, "timeout": 60, "command": "x", "ARGS": 3}},
		"globalShortcut": "$NOPE"
	}`)
	if len(resolved.Servers) != 1 || resolved.Servers[0].Command != "x" {
		t.Errorf("servers %+v", resolved.Servers)
	}
}

func TestAFileMayHaveNoServers(t *testing.T) {
	inFolder(t)
	if resolved := mustResolve(t, "c.json", `{"mcpServers": {}}`); len(resolved.Servers) != 0 {
		t.Errorf("servers %+v", resolved.Servers)
	}
}

func TestServersAndTheirTextsKeepFileOrder(t *testing.T) {
	inFolder(t)
	keys := []string{"zeta", "Alpha", "10", "9", "mid:dle", "ä", "alpha"}
	var entries []string
	for _, key := range keys {
		entries = append(entries, `"`+key+`": {"command": "x"}`)
	}
	resolved := mustResolve(t, "c.json", `{"mcpServers": {`+strings.Join(entries, ",")+"}}")
	var got []string
	for _, server := range resolved.Servers {
		got = append(got, server.Key)
	}
	if !slices.Equal(got, keys) {
		t.Errorf("order %q, want %q", got, keys)
	}
}

func TestPathsAreReadableAndQuoteControlCharacters(t *testing.T) {
	const noObject = `: value is null, not an object; write {"command": "..."}`
	runRefusals(t, config.InvalidSchema, []refusal{
		{"a plain key", `{"mcpServers": {"Az_0-9": null}}`, "c.json:1:27: mcpServers.Az_0-9" + noObject},
		{"a dot", `{"mcpServers": {"a.b": null}}`, `c.json:1:24: mcpServers["a.b"]` + noObject},
		{"a space", `{"mcpServers": {"a b": null}}`, `c.json:1:24: mcpServers["a b"]` + noObject},
		{"a quote", `{"mcpServers": {"a\"b": null}}`, `c.json:1:25: mcpServers["a\"b"]` + noObject},
		{"an escape sequence", `{"mcpServers": {"\u001b[0m": null}}`, `c.json:1:30: mcpServers["\x1b[0m"]` + noObject},
		{"a line break at the end", `{"mcpServers": {"a\n": null}}`, `c.json:1:24: mcpServers["a\n"]` + noObject},
		{"text that runs backwards", "{\"mcpServers\": {\"\u202ea\": null}}", `c.json:1:23: mcpServers["\u202ea"]` + noObject},
		{"a letter beyond ASCII", `{"mcpServers": {"ä": null}}`, `c.json:1:22: mcpServers["ä"]` + noObject},
		{
			"the name of a variable", oneServer(`"command": "x", "env": {"a.b\t": 1}`),
			`c.json:2:34: mcpServers.a.env["a.b\t"]: value is a number, not a string; put it in double quotes`,
		},
	})
}

func TestTheDocumentedMembersAreKnown(t *testing.T) {
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "| member | form | meaning |\n|---|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	var documented []string
	for row := range strings.Lines(table) {
		documented = append(documented, strings.Split(row, "`")[1])
	}
	if len(documented) == 0 {
		t.Error("docs/configuration.md has no table of members")
	}
	for _, member := range documented {
		if !slices.Contains(config.KnownMembers, member) {
			t.Errorf("docs/configuration.md has a row for %q, which means nothing", member)
		}
	}
}
