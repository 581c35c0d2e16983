package app_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mcp-aggregator/modules/registry"
)

func TestTheTableOfClientsIsThatOfTheProgram(t *testing.T) {
	page, err := os.ReadFile("../docs/names.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| client |") {
			rows = append(rows, strings.TrimSpace(line))
		}
	}
	rules := registry.Rules()
	if len(rows) != len(rules) {
		t.Fatalf("%d rows for %d rules", len(rows), len(rules))
	}
	for i, r := range rules {
		takes := "letters, digits, `_`"
		for _, also := range r.Also {
			takes += fmt.Sprintf(", `%c`", also)
		}
		if r.Letter {
			takes += "; not a digit first"
		}
		want := fmt.Sprintf("| %s (`%s`) | `%s` | %s | %d |", r.Title, r.Client, strings.Join(r.Names, "`, `"), takes, r.Max)
		if rows[i] != want {
			t.Errorf("docs/names.md:\n got %s\nwant %s", rows[i], want)
		}
	}
}
