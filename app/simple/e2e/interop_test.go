package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/testutil"
)

// interopTime bounds one test with real servers on a busy machine.
const interopTime = 3 * time.Minute

// The tools of the four servers for a client without optional capabilities.
const realTools = 37

// goSDKTools are the tools for the Go SDK's client, which has roots by default.
const goSDKTools = realTools + 1

// realCalls are calls to the four servers and a part of each result.
var realCalls = []struct{ name, arguments, part string }{
	{"everything:echo", `{"message":"hi"}`, `Echo: hi`},
	{"everything:get-sum", `{"a":2,"b":40}`, `The sum of 2 and 40 is 42.`},
	{"files:read_text_file", `{"path":"hello.txt"}`, `hello from a file`},
	{"memory:read_graph", `{}`, `"entities":[]`},
	{"thinking:sequentialthinking", `{"thought":"one","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, `"thoughtHistoryLength":1`},
}

func TestRealServersThroughTheGoSDK(t *testing.T) {
	program, config := realServers(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), interopTime)
	defer cancel()
	changed := make(chan struct{}, 1)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, whenChanged(changed))
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: searched(exec.CommandContext(ctx, program, "--config", config))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // before the context ends, which would kill the program
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	awaitTools(ctx, t, session, goSDKTools, changed)
	for _, c := range realCalls {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.name, Arguments: json.RawMessage(arguments(c.arguments, config))})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if text, _ := json.Marshal(result); result.IsError || !strings.Contains(string(text), c.part) {
			t.Errorf("%s: got %s, want %s in it", c.name, text, c.part)
		}
	}
}

// whenChanged returns the options of a client that signals a changed tool list.
func whenChanged(changed chan<- struct{}) *mcp.ClientOptions {
	return &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
		select {
		case changed <- struct{}{}:
		default: // a signal is pending already
		}
	}}
}

// awaitTools lists the tools until there are n: on a busy machine a server may become
// ready after the first list.
func awaitTools(ctx context.Context, t *testing.T, session *mcp.ClientSession, n int, changed <-chan struct{}) {
	t.Helper()
	for {
		var names []string
		for tool, err := range session.Tools(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		if len(names) == n {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("%d tools, want %d: %q", len(names), n, names)
		}
	}
}

func TestRealServersThroughTheTypeScriptSDK(t *testing.T) {
	program, config := realServers(t, 1)
	args := []string{testutil.NPM(t, "drive.mjs"), "--wait-tools", fmt.Sprint(realTools), "--timeout", fmt.Sprint(interopTime.Milliseconds())}
	for _, c := range realCalls {
		args = append(args, "--call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, c.name, arguments(c.arguments, config)))
	}
	args = append(args, "--", program, "--config", config)
	out, err := searched(exec.CommandContext(t.Context(), "node", args...)).Output()
	if err != nil {
		t.Fatalf("driver: %v: %s", err, out)
	}
	var seen struct {
		Capabilities json.RawMessage
		Tools        []string
		Results      []json.RawMessage
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("driver: %v: %s", err, out)
	}
	if string(seen.Capabilities) != `{"tools":{"listChanged":true}}` {
		t.Errorf("capabilities: %s", seen.Capabilities)
	}
	if len(seen.Tools) != realTools || !slices.Contains(seen.Tools, "files:read_text_file") {
		t.Errorf("%d tools: %q", len(seen.Tools), seen.Tools)
	}
	for i, c := range realCalls {
		if i >= len(seen.Results) || !strings.Contains(string(seen.Results[i]), c.part) {
			t.Errorf("%s: want %s in the result: %s", c.name, c.part, seen.Results)
		}
	}
}

func TestTwelveRealServers(t *testing.T) {
	program, config := realServers(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), interopTime)
	defer cancel()
	out, err := searched(exec.CommandContext(ctx, program, "check", "--json", "--config", config)).Output()
	if err != nil {
		t.Fatalf("check: %v: %s", err, out)
	}
	testutil.Record(string(out))
	testutil.Conforms(t, "../../../docs/check.schema.json", out)
	var report struct {
		Servers []struct{ Name, Status string }
		Tools   []string
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Servers) != 12 || len(report.Tools) != 3*realTools {
		t.Errorf("%d servers and %d tools, want 12 and %d", len(report.Servers), len(report.Tools), 3*realTools)
	}
}

// realServers builds the program and writes a config of the four npm servers,
// each of them copies times. The first copies have the plain keys.
func realServers(t *testing.T, copies int) (program, config string) {
	t.Helper()
	testutil.MarkAll(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	var entries []string
	for n := range copies {
		suffix := strings.Repeat("-again", n)
		for _, s := range []struct{ key, server, argument string }{
			{"everything", "everything", "stdio"},
			{"files", "filesystem", dir},
			{"memory", "memory", "x"},
			{"thinking", "sequential-thinking", "x"},
		} {
			script := testutil.NPM(t, "node_modules", "@modelcontextprotocol", "server-"+s.server, "dist", "index.js")
			entries = append(entries, fmt.Sprintf(`%q:{"command":"node","args":[%q,%q],"env":{"API_KEY":%q,"MEMORY_FILE_PATH":%q}}`,
				s.key+suffix, script, s.argument, testutil.Canary, filepath.Join(dir, "memory"+suffix+".json")))
		}
	}
	config = filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(`{"mcpServers":{`+strings.Join(entries, ",")+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return testutil.Build(t, stdioProgram), config
}

// searched returns a command whose standard error, and that of the program it starts,
// is searched for secrets.
func searched(cmd *exec.Cmd) *exec.Cmd {
	cmd.Stderr = testutil.Printed(os.Stderr)
	return cmd
}

// arguments puts the folder of the config, where the files are, into a path.
func arguments(text, config string) string {
	return strings.Replace(text, "hello.txt", filepath.ToSlash(filepath.Join(filepath.Dir(config), "hello.txt")), 1)
}
