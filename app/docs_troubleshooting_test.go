package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The page explains messages that scripts of the program's tests expect.
func TestTroubleshootingExplainsWhatIsReallyPrinted(t *testing.T) {
	scripts, err := filepath.Glob("../cmd/mcp-simple-aggregator/testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		printed.Write(text)
	}
	explained := 0
	for _, block := range blocks(t, "../docs/troubleshooting.md", "text") {
		for line := range strings.Lines(block) {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(line)), `\.\.\.`, `.*`)
			if !regexp.MustCompile(`(?m)^` + pattern + `$`).MatchString(printed.String()) {
				t.Errorf("no script expects %s", line)
			}
			explained++
		}
	}
	if explained < 8 {
		t.Errorf("only %d messages are explained", explained)
	}
}
