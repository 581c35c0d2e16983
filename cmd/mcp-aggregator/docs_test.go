package main_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	program "mcp-aggregator/cmd/mcp-aggregator"
)

// The table of flags in docs/service.md has the flags of the program's help, which a
// script checks.
func TestTheDocumentedFlagsAreThoseOfServe(t *testing.T) {
	help := read(t, "testdata/script/usage_help_goes_to_stdout.txtar")
	_, help, _ = strings.Cut(help, "Usage: mcp-aggregator serve")
	help, _, _ = strings.Cut(help, "\n-- ")
	_, table, _ := strings.Cut(read(t, "../../docs/service.md"), "| flag |")
	table, _, _ = strings.Cut(table, "\n\n")
	want := flags(regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`), help)
	want = slices.DeleteFunc(want, func(flag string) bool { return flag == "--help" || flag == "--version" })
	if got := flags(regexp.MustCompile("(?m)^\\| `(--[a-z-]+)"), table); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("docs/service.md has %q, the program %q", got, want)
	}
}

func TestTheDocumentedCommandsAreUnderstood(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^mcp-aggregator (.*)$`).FindAllStringSubmatch(read(t, "../../docs/service.md"), -1)
	if len(commands) == 0 {
		t.Error("there are none")
	}
	for _, command := range commands {
		words, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\n' `+command[1]).Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := program.Parse(strings.Split(strings.TrimSpace(string(words)), "\n")); err != nil {
			t.Errorf("%s: %v", command[0], err)
		}
	}
}

func flags(pattern *regexp.Regexp, text string) (flags []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		flags = append(flags, match[1])
	}
	slices.Sort(flags)
	return flags
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
