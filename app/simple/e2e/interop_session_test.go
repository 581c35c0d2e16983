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
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/testutil"
)

// interactiveCalls make server-everything send requests, progress and log messages.
var interactiveCalls = []string{
	`{"name":"PREtrigger-sampling-request","arguments":{"prompt":"p"}}`,
	`{"name":"PREtrigger-elicitation-request","arguments":{}}`,
	`{"name":"PREget-roots-list","arguments":{}}`,
	`{"name":"PREtoggle-simulated-logging","arguments":{}}`,
	`{"name":"PREtrigger-long-running-operation","arguments":{"duration":6,"steps":4}}`,
}

// The tools of server-everything for a client with sampling, elicitation and
// roots.
const everythingTools = 16

// minProgress is how many of the four notifications of the long-running call a client
// gets at least: both SDKs drop one that they have not handled when the result arrives.
const minProgress = 3

// driveReport is the output of drive.mjs.
type driveReport struct {
	ProtocolVersion string
	Tools           []string
	Results         []json.RawMessage
	Asked           []string
	Told            map[string]int
	Progress        int
}

// The driver sees the same through the aggregator as directly.
func TestTheTypeScriptSDKSeesTheSameServer(t *testing.T) {
	program, config, everything := everythingBehind(t)
	var direct, through driveReport
	t.Run("drive", func(t *testing.T) { // both at once: most of the time is the server's own
		t.Run("direct", func(t *testing.T) {
			t.Parallel()
			direct = drive(t, "", everythingTools, everything)
		})
		t.Run("through", func(t *testing.T) {
			t.Parallel()
			through = drive(t, "everything:", everythingTools, []string{program, "--config", config})
		})
	})
	if !slices.Equal(direct.Asked, through.Asked) || len(direct.Asked) != 3 {
		t.Errorf("asked %q directly and %q through", direct.Asked, through.Asked)
	}
	if through.Progress < minProgress {
		t.Errorf("%d notifications of progress, want %d", through.Progress, minProgress)
	}
	if through.Told["notifications/message"] == 0 || direct.Told["notifications/message"] == 0 {
		t.Errorf("log messages: %v directly and %v through", direct.Told, through.Told)
	}
	for i := range interactiveCalls {
		if got, want := string(through.Results[i]), string(direct.Results[i]); got != want {
			t.Errorf("call %d:\n got %s\nwant %s", i, got, want)
		}
	}
}

// everythingBehind builds the program and returns it with a config of
// server-everything alone, and the server's own command.
func everythingBehind(t *testing.T) (program, config string, command []string) {
	t.Helper()
	testutil.MarkAll(t)
	script := testutil.NPM(t, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	config = filepath.Join(t.TempDir(), "config.json")
	text := fmt.Sprintf(`{"mcpServers":{"everything":{"command":"node","args":[%q,"stdio"],"env":{"API_KEY":%q}}}}`, script, testutil.Canary)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return testutil.Build(t, stdioProgram), config, []string{"node", script, "stdio"}
}

// drive runs the driver with responses to all requests of the server.
func drive(t *testing.T, prefix string, tools int, command []string) driveReport {
	t.Helper()
	args := []string{
		testutil.NPM(t, "drive.mjs"), "--timeout", fmt.Sprint(interopTime.Milliseconds()), "--wait-tools", fmt.Sprint(tools),
		"--capabilities", `{"sampling":{},"elicitation":{},"roots":{"listChanged":true}}`,
		"--answer", `sampling/createMessage={"role":"assistant","content":{"type":"text","text":"sampled"},"model":"m"}`,
		"--answer", `elicitation/create={"action":"accept","content":{"name":"n"}}`,
		"--answer", `roots/list={"roots":[{"uri":"file:///tmp/x","name":"r"}]}`,
	}
	for _, call := range interactiveCalls {
		args = append(args, "--call", strings.Replace(call, "PRE", prefix, 1))
	}
	out, err := searched(exec.CommandContext(t.Context(), "node", append(append(args, "--"), command...)...)).Output()
	if err != nil {
		t.Fatalf("driver: %v: %s", err, out)
	}
	var d driveReport
	if err := json.Unmarshal(out, &d); err != nil || len(d.Results) != len(interactiveCalls) {
		t.Fatalf("driver: %v: %s", err, out)
	}
	return d
}

// A client that speaks the stateless revision too probes first and falls back.
func TestTheNewestTypeScriptClientFallsBackToInitialize(t *testing.T) {
	program, config, _ := everythingBehind(t)
	out, err := searched(exec.CommandContext(t.Context(), "node", testutil.NPM(t, "probe.mjs"),
		`{"name":"everything:echo","arguments":{"message":"hi"}}`, program, "--config", config)).Output()
	if err != nil {
		t.Fatalf("probe: %v: %s", err, out)
	}
	var seen struct {
		Sent            []string
		ProtocolVersion string
		Result          json.RawMessage
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatal(err)
	}
	want := []string{"server/discover", "initialize", "notifications/initialized", "tools/list", "tools/call"}
	if !slices.Equal(seen.Sent, want) || seen.ProtocolVersion != "2025-11-25" {
		t.Errorf("sent %q and speaks %s", seen.Sent, seen.ProtocolVersion)
	}
	if got := string(seen.Result); got != `{"content":[{"type":"text","text":"Echo: hi"}]}` {
		t.Errorf("result: %s", got)
	}
}

// The Go SDK's client, too, speaks the stateless revision first.
func TestTheGoSDKIsAskedAndToldThroughTheAggregator(t *testing.T) {
	program, config, _ := everythingBehind(t)
	ctx, cancel := context.WithTimeout(t.Context(), interopTime)
	defer cancel()
	var asked, progress, logged atomic.Int32
	changed := make(chan struct{}, 1)
	client := countingClient(&asked, &progress, &logged, changed)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: searched(exec.CommandContext(ctx, program, "--config", config))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // before the context ends, which would kill the program
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	if version := session.InitializeResult().ProtocolVersion; version != "2025-11-25" {
		t.Errorf("protocol version %s", version)
	}
	callAll(ctx, t, session, changed)
	if asked.Load() != 2 || progress.Load() < minProgress || logged.Load() == 0 {
		t.Errorf("asked %d times, progress %d, logged %d; want 2, 3 or more, and some", asked.Load(), progress.Load(), logged.Load())
	}
}

func callAll(ctx context.Context, t *testing.T, session *mcp.ClientSession, changed <-chan struct{}) {
	t.Helper()
	awaitTools(ctx, t, session, everythingTools, changed)
	for i, call := range interactiveCalls {
		var params mcp.CallToolParams
		if err := json.Unmarshal([]byte(strings.Replace(call, "PRE", "everything:", 1)), &params); err != nil {
			t.Fatal(err)
		}
		params.SetProgressToken(i)
		if result, err := session.CallTool(ctx, &params); err != nil || result.IsError {
			t.Errorf("%s: %v %v", params.Name, result, err)
		}
	}
}

// countingClient returns a client that counts the requests and notifications it gets.
//
//nolint:staticcheck // deprecated in 2026-07-28, not in the revisions spoken here
func countingClient(asked, progress, logged *atomic.Int32, changed chan<- struct{}) *mcp.Client {
	client := mcp.NewClient(&mcp.Implementation{Name: "go-sdk", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: whenChanged(changed).ToolListChangedHandler,
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			asked.Add(1)
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "sampled"}}, nil
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "n"}}, nil
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress.Add(1) },
		LoggingMessageHandler:       func(context.Context, *mcp.LoggingMessageRequest) { logged.Add(1) },
	})
	client.AddRoots(&mcp.Root{URI: "file:///tmp/x", Name: "r"})
	return client
}
