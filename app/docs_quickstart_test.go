package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcp-aggregator/config/clients"
	"mcp-aggregator/testutil"
)

var installCommand = regexp.MustCompile(`(?m)^mcp-simple-aggregator install --client (\S+) --config /home/you/mcp.json --move$`)

func TestTheQuickstartHasEveryClient(t *testing.T) {
	testutil.MarkAll(t)
	t.Setenv("PATH", filepath.Dir(testutil.Build(t, stdioProgram))+string(os.PathListSeparator)+os.Getenv("PATH"))
	shown := make(map[string]string)
	for _, block := range blocks(t, "../docs/quickstart.md", "sh") {
		for _, match := range installCommand.FindAllStringSubmatch(block, -1) {
			shown[match[1]] = match[0]
		}
	}
	for _, c := range clients.All() {
		t.Run(c.Key, func(t *testing.T) { installInto(t, c, shown[c.Key]) })
	}
}

// installInto runs the command for a user who has the client with one server.
func installInto(t *testing.T, c clients.Client, command string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("TMPDIR", filepath.Join(home, "tmp")) // or the program would be in a temporary folder
	files := c.Files["linux"]
	theirs := strings.Replace(files[len(files)-1], "~", home, 1)
	if err := os.MkdirAll(filepath.Dir(theirs), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte(`{"`+c.Servers+`":{"mine":{"command":"true"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	ours := filepath.Join(home, "mcp.json")
	said := shell(t, strings.Replace(command, "/home/you/mcp.json", ours, 1))
	after, err := os.ReadFile(theirs)
	if err != nil {
		t.Fatal(err)
	}
	moved, err := os.ReadFile(ours)
	if err != nil || !strings.Contains(string(moved), `"mine"`) || strings.Contains(string(after), `"mine"`) || !strings.Contains(string(after), `"aggregator"`) {
		t.Errorf("%s\n%s\nthe client's file: %s\nours: %s", command, said, after, moved)
	}
}

// On a machine where nothing was built make quickstart says that it builds, and builds only
// what it runs.
func TestMakeQuickstartBuildsOnlyWhatItRuns(t *testing.T) {
	steps := strings.Split(strings.TrimSpace(shell(t, "make -n quickstart")), "\n")
	i := slices.IndexFunc(steps, func(step string) bool { return strings.HasPrefix(step, "go build ") })
	if i < 0 {
		t.Fatalf("it builds nothing: %q", steps)
	}
	if said := strings.Join(steps[:i], "\n"); !strings.Contains(said, "Building") || !strings.Contains(said, "minute") {
		t.Errorf("it does not say what it does and how long that takes: %s", said)
	}
	packages := strings.TrimPrefix(steps[i], "go build -o bin/ ")
	service := shell(t, "go list -deps ./cmd/mcp-aggregator")
	used := shell(t, "go list -deps ./cmd/mcp-simple-aggregator")
	for dep := range strings.FieldsSeq(shell(t, "go list -deps "+packages)) {
		if strings.Contains(service, dep+"\n") && !strings.Contains(used, dep+"\n") {
			t.Errorf("it compiles %s, which it does not run", dep)
		}
	}
	for _, step := range steps[i+1:] {
		if strings.HasPrefix(step, "go ") {
			t.Errorf("it also runs %s", step)
		}
	}
}
