package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/testutil"
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// runChild is the main function of a child. The value of childVariable is the kind of
// the child and its configuration. It returns the exit code.
func runChild(value string) int {
	exitWithParent()
	kind, config, _ := strings.Cut(value, " ")
	switch kind {
	case "echo":
		echoServer()
		return 0
	case "chaos":
		return newChaosChild(config).run()
	}
	fmt.Fprintln(os.Stderr, "no such child:", value)
	return 2
}

// exitWithParent ends a child that ignores the end of its input when the test has ended.
func exitWithParent() {
	parent := os.Getppid()
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != parent {
				os.Exit(3)
			}
		}
	}()
}

// echoServer is a server with one tool, which returns its arguments.
func echoServer() {
	lines, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m childMessage
		if err := json.Unmarshal(line, &m); err == nil && len(m.ID) > 0 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, echoResult(&m))
		}
		if lines.Buffered() == 0 {
			_ = out.Flush() // a reader that has gone ends the input, too
		}
	}
}

func echoResult(m *childMessage) []byte {
	switch m.Method {
	case "initialize":
		return []byte(initializeResult)
	case "tools/list":
		return []byte(`{"tools":[{"name":"echo"}]}`)
	}
	return bytes.TrimSpace(m.Params.Arguments)
}

const initializeResult = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"child","version":"1"}}`

// childMessage is one message that a child reads.
type childMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	Result *payload        `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// payload is the content of the messages, by which they are recognized.
type payload struct {
	Text string `json:"text"`
}

// writeConfig writes a config file of children that run this binary; the values are
// those of childVariable, by the key of the server.
func writeConfig(t *testing.T, children map[string]string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	servers := make(map[string]any)
	for key, value := range children {
		servers[key] = map[string]any{"command": self, "env": map[string]string{
			childVariable: value,
			"PASSWORD":    testutil.Canary,
			"GORACE":      "atexit_sleep_ms=0", // the race detector's default is a second
		}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
