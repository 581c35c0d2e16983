package service_test

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/testutil"
)

// The commands of the README end with a call of a server's tool, by curl and by an MCP
// client.
func TestTheReadmeLeadsToAToolCalledByCurlAndByMCP(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the commands are for bash and curl")
	}
	testutil.MarkAll(t)
	packages := filepath.Dir(testutil.NPM(t, "node_modules"))
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "## For a team")
	section, _, _ = strings.Cut(section, "\n## ")
	address := freeAddress(t)
	section = strings.ReplaceAll(section, "127.0.0.1:8080", address)
	serve := runServe(t, packages, strings.TrimSpace(block(t, section, "sh"))+" --inherit-env --listen "+address)
	out, err := exec.CommandContext(t.Context(), "bash", "-ec", blocks(t, section, "bash")).CombinedOutput()
	t.Logf("%s", out)
	for _, want := range []string{`"routed_to":"memory"`, `"is here"`, `"name": "memory.create_entities"`} {
		if err != nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %s after the commands: %v", want, err)
		}
	}
	callByMCP(t, regexp.MustCompile(`"url": "([^"]+)"`).FindStringSubmatch(section)[1])
	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := serve.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

func callByMCP(t *testing.T, url string) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "reader"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory.read_graph"})
	if err != nil || result.IsError {
		t.Errorf("%v %v", result, err)
	}
}

// runServe runs the program that the command line names, where npx finds the pinned
// packages, and waits until it listens. The server gets the whole environment, so that
// its files are removed with the test.
func runServe(t *testing.T, packages, line string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	words := strings.Fields(line)
	cmd := exec.CommandContext(t.Context(), buildProgram(t), words[1:]...)
	cmd.Dir = packages
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME=", "MEMORY_FILE_PATH="+filepath.Join(home, "memory.json"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	listen(t, cmd)
	return cmd
}

// listen starts the program and waits until it listens.
func listen(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stderr)
	for {
		text, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("it ended: %v", err)
		}
		if strings.Contains(text, "listening at") {
			go lines.WriteTo(new(bytes.Buffer)) //nolint:errcheck // it ends with the program
			return
		}
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// block returns the first block of that language.
func block(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "```"+language+"\n")
	body, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatalf("there is no block of %s", language)
	}
	return body
}

// blocks returns all blocks of a language, one after the other.
func blocks(t *testing.T, text, language string) (all string) {
	t.Helper()
	for range strings.Count(text, "```"+language+"\n") {
		all += block(t, text, language) + "\n"
		_, text, _ = strings.Cut(text, "```"+language+"\n")
	}
	return all
}
