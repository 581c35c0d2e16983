package app_test

import (
	"fmt"
	"strings"
	"testing"

	"mcp-aggregator/config/clienttable"
)

func TestTheTableOfClientsIsThatOfTheProgram(t *testing.T) {
	table := "| client | `clientInfo.name` | accepts | at most |\n|---|---|---|---|\n"
	for _, c := range clienttable.All() {
		if c.Naming == nil {
			continue
		}
		accepted := "letters, digits, `_`"
		for _, also := range c.Naming.ExtraCharacters {
			accepted += fmt.Sprintf(", `%c`", also)
		}
		if c.Naming.LetterFirst {
			accepted += "; not a digit first"
		}
		table += fmt.Sprintf("| %s (`%s`) | `%s` | %s | %d |\n", c.Title, c.Key, strings.Join(c.Names, "`, `"), accepted, c.Naming.MaxLength)
	}
	if !strings.Contains(text(t, "../docs/names.md"), "\n"+table+"\n") {
		t.Errorf("docs/names.md has no table\n%s", table)
	}
}
