package remote_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/testutil"
)

func TestServerEverything(t *testing.T) {
	t.Parallel()
	for argument, by := range map[string]struct {
		transport servers.Transport
		path      string
	}{
		"sse":            {servers.SSE, "/sse"},
		"streamableHttp": {servers.HTTP, "/mcp"},
	} {
		t.Run(argument, func(t *testing.T) {
			t.Parallel()
			url, stop := startServerEverything(t, argument)
			c := connect(t, by.transport, url+by.path)
			tools := await(t, "the tools", c.tools)
			if !strings.Contains(strings.Join(tools, ""), `"name":"echo"`) {
				t.Fatalf("the tools are %s", tools)
			}
			got := c.result(c.call(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"message":"ö<&>"}}}`, `"echo"`))
			if !strings.Contains(got, `"result":{"content":[{"type":"text","text":"Echo: ö<&>"}]}`) {
				t.Errorf("the answer is %s", got)
			}
			r := c.call(`{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"x","arguments":{"duration":0.2,"steps":2},"_meta":{"progressToken":"p"}}}`, `"trigger-long-running-operation"`)
			if got := c.result(r); !strings.Contains(got, "completed") {
				t.Errorf("the answer is %s", got)
			}
			if !progressed(c) {
				t.Error("no progress came before the answer")
			}
			open := c.call(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"x","arguments":{"duration":60,"steps":2}}}`, `"trigger-long-running-operation"`)
			time.Sleep(100 * time.Millisecond) // for the call to arrive
			stop()
			_ = c.failure(open)
			c.awaitEnd()
		})
	}
}

func progressed(c *connection) bool {
	for len(c.messages) > 0 {
		if p := <-c.messages; strings.Contains(p.line, `"notifications/progress"`) && strings.Contains(p.line, `"progressToken":"p"`) {
			return true
		}
	}
	return false
}

// startServerEverything starts the npm server on a free port; stop kills it.
func startServerEverything(t *testing.T, argument string) (url string, stop func()) {
	t.Helper()
	mark := testutil.Mark(t)
	script := npm(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	cmd := exec.CommandContext(t.Context(), "node", script, argument)
	cmd.Env = append(os.Environ(), mark.Entry(), fmt.Sprint("PORT=", port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(stop)
	url = fmt.Sprint("http://127.0.0.1:", port)
	for begin := time.Now(); time.Since(begin) < 2*testTimeout; time.Sleep(50 * time.Millisecond) {
		if resp, err := http.Get(url + "/none"); err == nil {
			_ = resp.Body.Close()
			http.DefaultClient.CloseIdleConnections()
			return url, stop
		}
	}
	t.Fatal("the server does not listen")
	return "", nil
}

// npm returns the path of the server. Without Node the test is skipped, but not in
// CI.
func npm(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testutil", "npm", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"))
	if err == nil {
		_, err = exec.LookPath("node")
	}
	if err == nil {
		_, err = os.Stat(path)
	}
	if err == nil {
		return path
	}
	if os.Getenv("CI") != "" {
		t.Fatalf("real servers are required in CI (make test installs them): %v", err)
	}
	t.Skipf("*** SKIPPED: no real servers; install Node and run make test: %v ***", err)
	return ""
}
