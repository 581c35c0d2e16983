package main_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The README lists the flags that the program's help lists.
func TestTheTableOfFlagsIsThatOfTheProgram(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "mcp-simple-aggregator", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	flags, _, _ := strings.Cut(string(out), "\nCommands:")
	flag := regexp.MustCompile(`--[a-z-]+`)
	_, rest, _ := strings.Cut(string(page), "| flag | meaning | default |\n|---|---|---|\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	var documented []string
	for row := range strings.Lines(table) {
		documented = append(documented, flag.FindAllString(strings.Split(row, "|")[1], -1)...)
	}
	for _, name := range flag.FindAllString(flags, -1) {
		if !slices.Contains(documented, name) && name != "--config" {
			t.Errorf("the README has no row for %s", name)
		}
	}
	for _, name := range documented {
		if !strings.Contains(flags, name) {
			t.Errorf("the README has a row for %s, which does not exist", name)
		}
	}
}
