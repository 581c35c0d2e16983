package app_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config/clients"
)

// rowsOf returns the rows of the table of clients in docs/clients.md.
func rowsOf(all []clients.Client) string {
	var out strings.Builder
	for _, c := range all {
		out.WriteString("| " + strings.Join([]string{
			c.Title, "`" + c.Key + "`", code(c.Files["darwin"]), code(c.Files["windows"]), code(c.Files["linux"]),
			code(c.Project), c.Syntax.String(),
		}, " | ") + " |\n")
	}
	return out.String()
}

func code(paths []string) string {
	if len(paths) == 0 {
		return "-"
	}
	return "`" + strings.Join(paths, "`, `") + "`"
}

// membersTable returns the table of members that are not imported, one row for each effect.
func membersTable() string {
	members := make(map[string][]string)
	for member, effect := range clients.MemberEffects() {
		members[effect] = append(members[effect], member)
	}
	var rows []string
	for effect, names := range members {
		slices.Sort(names)
		rows = append(rows, "| "+code(names)+" | "+effect+" |\n")
	}
	slices.Sort(rows)
	return strings.Join(rows, "")
}

func TestTheDocumentedClientsAreThoseOfTheCode(t *testing.T) {
	text, err := os.ReadFile("../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	for head, rows := range map[string]string{
		"| client | `--client` | macOS | Windows | Linux | of a project | variables expanded |\n|---|---|---|---|---|---|---|\n": rowsOf(clients.All()),
		"| member | effect |\n|---|---|\n": membersTable(),
	} {
		if !strings.Contains(string(text), "\n"+head+rows+"\n") {
			t.Errorf("docs/clients.md has no table\n%s%s", head, rows)
		}
	}
}
