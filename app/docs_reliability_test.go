package app_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName   = regexp.MustCompile("`(Test\\w+|\\w+\\.txtar)`")
	testMade   = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	promiseRow = regexp.MustCompile(`(?m)^\|.*\|$`)
)

// existingTests returns the names of all tests and scripts of the project.
func existingTests(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			names[entry.Name()] = true
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, match := range testMade.FindAllStringSubmatch(string(text), -1) {
				names[match[1]] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestEveryPromiseNamesTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("../docs/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	exists := existingTests(t)
	promises, _, _ := strings.Cut(string(text), "\n## Chaos\n")
	rows := 0
	for _, row := range promiseRow.FindAllString(promises, -1) {
		if strings.HasPrefix(row, "| fault ") || strings.HasPrefix(row, "|---") {
			continue
		}
		rows++
		names := testName.FindAllStringSubmatch(row, -1)
		if len(names) == 0 {
			t.Errorf("no test is named: %s", row)
		}
		for _, name := range names {
			if !exists[name[1]] {
				t.Errorf("no such test: %s", name[1])
			}
		}
	}
	if rows < 16 {
		t.Errorf("%d promises", rows)
	}
}
