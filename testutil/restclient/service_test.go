package restclient_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// asServer is the variable that makes this program a server to register.
const asServer = "RESTCLIENT_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		serveTools(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

var (
	methodOf = regexp.MustCompile(`"method":"([^"]*)"`)
	idOf     = regexp.MustCompile(`"id":("[^"]*"|[0-9]+)`)
)

// results are what the server answers, by method. The result of a call has a metadata
// of its own.
var results = map[string]string{
	"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`,
	"tools/list": `{"tools":[{"name":"a/b c","description":"Finds a thing","inputSchema":{"type":"object"}}]}`,
	"tools/call": `{"content":[{"type":"text","text":"found"}],"metadata":7}`,
}

// serveTools is an MCP server, until its input ends.
func serveTools(in io.Reader, out io.Writer) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		method, id := methodOf.FindStringSubmatch(lines.Text()), idOf.FindStringSubmatch(lines.Text())
		if method != nil && id != nil {
			fmt.Fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id[1], results[method[1]])
		}
	}
}

var listening = regexp.MustCompile(`listening at (http://\S+):`)

// startService builds mcp-aggregator and runs it until the test ends. It returns the
// address.
func startService(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "mcp-aggregator.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/mcp-aggregator")
	build.Dir = filepath.Join("..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	service := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--database", filepath.Join(folder, "a.db"))
	stderr, err := service.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Kill() // it may have ended
		_ = service.Wait()         // as it was killed
	})
	log := bufio.NewReader(stderr)
	for {
		line, err := log.ReadString('\n')
		if err != nil {
			t.Fatalf("it does not listen: %v: %s", err, line)
		}
		if found := listening.FindStringSubmatch(line); found != nil {
			go func() { _, _ = io.Copy(io.Discard, log) }() // ends with the service
			return found[1]
		}
	}
}
