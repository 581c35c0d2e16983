package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// The commands of the README, run with four servers from npm in Claude Desktop's
// configuration, give Claude Desktop all of their tools.
func TestTheReadmeLeadsFromAClientsServersToTheirTools(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the client's file is where Linux has it")
	}
	testutil.MarkAll(t)
	home, program := t.TempDir(), testutil.Build(t, stdioProgram)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("TMPDIR", filepath.Join(home, "tmp")) // or it would be in a temporary folder
	theirs := filepath.Join(home, ".config", "Claude", "claude_desktop_config.json")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte(fourServers(t, home)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(home, "bin", "mcp-simple-aggregator")); err != nil {
		t.Fatal(err)
	}
	for command := range strings.Lines(firstBlock(t, "../README.md", "bash")) {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = home
		out, err := cmd.CombinedOutput()
		testutil.Record(string(out))
		t.Logf("$ %s%s", command, out)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
	}
	argv := installed(t, theirs)
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = "/" // a client starts its servers anywhere
	testutil.Smoke{Client: "claude-ai", Names: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), Tools: toolsOfFour}.Run(t, cmd)
}

// fourServers returns a typical configuration of Claude Desktop, with four servers from
// npm.
func fourServers(t *testing.T, home string) string {
	t.Helper()
	var servers []string
	for _, name := range []string{"everything", "filesystem", "memory", "sequential-thinking"} {
		args := ""
		if name == "filesystem" {
			args = fmt.Sprintf(",%q", home)
		}
		servers = append(servers, fmt.Sprintf(`    %q: {
      "command": "node",
      "args": [%q%s],
      "env": { "API_KEY": %q, "MEMORY_FILE_PATH": %q }
    }`, name, testutil.NPM(t, "node_modules", "@modelcontextprotocol", "server-"+name, "dist", "index.js"), args,
			testutil.Canary, filepath.Join(home, "memory.json")))
	}
	return "{\n  \"globalShortcut\": \"\",\n  \"mcpServers\": {\n" + strings.Join(servers, ",\n") + "\n  }\n}\n"
}

// toolsOfFour is the number of their tools for a client without capabilities.
const toolsOfFour = 37

func firstBlock(t *testing.T, document, language string) string {
	t.Helper()
	found := blocks(t, document, language)
	if len(found) == 0 {
		t.Fatalf("%s has no block of %s", document, language)
	}
	return found[0]
}

// installed returns the command line of the client's only server.
func installed(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		GlobalShortcut *string
		McpServers     map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	ours, ok := config.McpServers["aggregator"]
	if len(config.McpServers) != 1 || !ok || config.GlobalShortcut == nil {
		t.Fatalf("the client's file:\n%s", text)
	}
	return append([]string{ours.Command}, ours.Args...)
}
