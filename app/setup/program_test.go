package setup_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// A package manager's link stays where it is when the program is replaced.
func TestInstallNamesTheProgramAsItWasCalled(t *testing.T) {
	program, folder := testutil.Build(t, "mcp-aggregator/cmd/mcp-simple-aggregator"), t.TempDir()
	link := filepath.Join(folder, "bin", filepath.Base(program))
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, link); err != nil {
		t.Skip("no links here:", err)
	}
	config, client := filepath.Join(folder, "mcp.json"), filepath.Join(folder, "client.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for called, want := range map[string]string{link: link, program: program, "./bin/" + filepath.Base(link): link} {
		cmd := exec.CommandContext(t.Context(), called, "install", "--client", "cursor", "--client-file", client, "--config", config)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "TMPDIR=/nowhere", "TMP=/nowhere", "TEMP=/nowhere") // the test's own folder is a temporary one
		out, err := cmd.CombinedOutput()
		testutil.Record(string(out))
		if err != nil {
			t.Fatalf("%s: %v: %s", called, err, out)
		}
		text, err := os.ReadFile(client)
		if err != nil || !strings.Contains(string(text), `"command": "`+filepath.ToSlash(want)+`"`) {
			t.Errorf("called by %s: %v, %s", called, err, text)
		}
	}
}

func TestImportTellsToGoOnWithTheProgramAsItWasCalled(t *testing.T) {
	program, folder := testutil.Build(t, "mcp-aggregator/cmd/mcp-simple-aggregator"), t.TempDir()
	client := filepath.Join(folder, "client.json")
	if err := os.WriteFile(client, []byte(`{"mcpServers": {"a": {"command": "x"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "import", "client.json", "--output", "ours.json")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	testutil.Record(string(out))
	if err != nil || !strings.Contains(string(out), program+" check --config ours.json\n") && !strings.Contains(string(out), "'"+program+"' check") {
		t.Errorf("%v: %s", err, out)
	}
}
