package config_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config"
)

func TestTheTableOfMembersIsThatOfTheProgram(t *testing.T) {
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
