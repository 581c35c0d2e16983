package service_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mcp-aggregator/app/service"
	"mcp-aggregator/testutil"
)

// thirdPartyServers are servers of other projects, by the names they are registered under.
type thirdPartyServers map[string]backend

type backend struct {
	transport, connection string    // as it is registered
	direct                *exec.Cmd // how it is started for a client of its own; nil when it runs already
	url                   string
}

// realServers returns the connections of server-everything over each transport, and of two
// examples of the Go SDK, and starts those over HTTP.
func realServers(t *testing.T) thirdPartyServers {
	t.Helper()
	testutil.MarkAll(t)
	script := everythingScript(t)
	sse := listening(t, "/sse", "node", script, "sse")
	streamable := listening(t, "/mcp", "node", script, "streamableHttp")
	return thirdPartyServers{
		"js-stdio":  ofProcess(t, "node", script, "stdio"),
		"js-sse":    {transport: "SSE", connection: plain(t, map[string]string{"url": sse}), url: sse},
		"js-http":   {transport: "HTTP", connection: plain(t, map[string]string{"base_url": streamable}), url: streamable},
		"go-memory": ofProcess(t, sdkExample(t, "memory")),
		"go-every":  ofProcess(t, sdkExample(t, "everything")),
	}
}

func ofProcess(t *testing.T, command string, args ...string) backend {
	t.Helper()
	args = append([]string{}, args...) // null is none
	return backend{
		transport: "STDIO",
		connection: plain(t, map[string]any{
			"command": command, "args": args, "env": map[string]string{"API_KEY": testutil.Canary},
		}),
		direct: exec.Command(command, args...),
	}
}

// listening runs a server on a free port until the test ends, and returns its address.
func listening(t *testing.T, path, command string, args ...string) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().(*net.TCPAddr)
	_ = listener.Close() // it is the server's now
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Env = append(os.Environ(), fmt.Sprint("PORT=", address.Port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the test's context has done so, perhaps
		_ = cmd.Wait()
	})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if response, err := http.Get("http://" + address.String() + "/none"); err == nil {
			_ = response.Body.Close()
			return "http://" + address.String() + path
		}
	}
	t.Fatalf("%s %q does not listen", command, args)
	return ""
}

// everythingScript is the npm server. Without Node the test is skipped, but not in CI.
func everythingScript(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "testutil", "npm", "node_modules",
		"@modelcontextprotocol", "server-everything", "dist", "index.js"))
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

// sdkExample builds an example server of the Go SDK.
func sdkExample(t *testing.T, name string) string {
	t.Helper()
	return testutil.Build(t, "github.com/modelcontextprotocol/go-sdk/examples/server/"+name)
}

// withProcesses passes the environment of the tests to the service.
func withProcesses(o *service.Options) { o.Environ = append(o.Environ, os.Environ()...) }
