package app_test

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

// act is the main function of a child; the name of the act holds what it needs
// to know. It returns the exit code.
func act(name string) int {
	endWithTest()
	verb, rest, _ := strings.Cut(name, " ")
	switch verb {
	case "parrot":
		parrot()
		return 0
	case "chaos":
		return newWild(rest).live()
	}
	fmt.Fprintln(os.Stderr, "no such act:", name)
	return 2
}

// endWithTest ends a child that ignores everything when the test is gone.
func endWithTest() {
	parent := os.Getppid()
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != parent {
				os.Exit(3)
			}
		}
	}()
}

// parrot is a server whose one tool answers with its arguments.
func parrot() {
	lines, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m heard
		if err := json.Unmarshal(line, &m); err == nil && len(m.ID) > 0 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, echoed(&m))
		}
		if lines.Buffered() == 0 {
			_ = out.Flush() // a reader that is gone ends the input, too
		}
	}
}

func echoed(m *heard) []byte {
	switch m.Method {
	case "initialize":
		return []byte(usualInitialize)
	case "tools/list":
		return []byte(`{"tools":[{"name":"echo"}]}`)
	}
	return bytes.TrimSpace(m.Params.Arguments)
}

const usualInitialize = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"child","version":"1"}}`

// heard is one line that a child reads.
type heard struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	Result *said           `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// said is what child and client tell each other, to be known again.
type said struct {
	Text string `json:"text"`
}

// ownServers writes a config file of children that run this binary, each with
// the act of its key.
func ownServers(t *testing.T, acts map[string]string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	servers := make(map[string]any)
	for key, act := range acts {
		servers[key] = map[string]any{"command": self, "env": map[string]string{
			actVariable: act,
			"PASSWORD":  testutil.Canary,
			"GORACE":    "atexit_sleep_ms=0", // the race detector's default is a second
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
