package testutil

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Smoke is a scripted client: it starts the program as a client does, lists its tools,
// calls each of them, and closes the program's standard input.
type Smoke struct {
	// Client is the clientInfo.name.
	Client string
	// Names matches the tool names that the client accepts.
	Names *regexp.Regexp
	// Tools is the number of tools when all servers run.
	Tools int
}

// Run runs the program and returns the names of its tools. Each name must match Names.
// Each call, with the arguments {}, must return a result, possibly with isError, or the
// error -32602, with which a server may reject arguments. The program must exit with code
// 0 after its input is closed.
func (s Smoke) Run(tb testing.TB, program *exec.Cmd) []string {
	tb.Helper()
	c := startSmoke(tb, program)
	c.request("initialize", fmt.Sprintf(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%q,"version":"1.0.0"}}`, s.Client))
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	names := c.listTools()
	for len(names) < s.Tools {
		c.awaitChange()
		names = c.listTools()
	}
	if len(names) != s.Tools {
		tb.Errorf("%d tools, want %d: %q", len(names), s.Tools, names)
	}
	for _, name := range names {
		if !s.Names.MatchString(name) {
			tb.Errorf("%s refuses the name %q, and with it every tool of the server", s.Client, name)
		}
		c.callTool(name)
	}
	c.closeAndWait()
	return names
}

type smokeClient struct {
	tb      testing.TB
	program *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	lastID  int
	stale   bool // the list has changed since the last tools/list
}

func startSmoke(tb testing.TB, program *exec.Cmd) *smokeClient {
	tb.Helper()
	in, err := program.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if program.Stderr == nil {
		program.Stderr = Printed(os.Stderr)
	}
	if err := program.Start(); err != nil {
		tb.Fatal(err)
	}
	return &smokeClient{tb: tb, program: program, in: in, out: bufio.NewReader(out)}
}

// codeInvalidParams is the code with which a server may reject incomplete arguments. The
// program itself uses it for a name without a server: "Tool name must be prefixed ...".
const codeInvalidParams = -32602

// smokeMessage is a message of the server: a response, a request or a notification.
type smokeMessage struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (c *smokeClient) send(format string, args ...any) {
	c.tb.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.tb.Fatalf("send: %v", err)
	}
}

// readMessage returns the next message. It fails the test if there is none.
func (c *smokeClient) readMessage() smokeMessage {
	c.tb.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.tb.Fatalf("the program's output ends: %v", err)
	}
	var m smokeMessage
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.tb.Fatalf("no message: %q: %v", line, err)
	}
	if m.Method == "notifications/tools/list_changed" {
		c.stale = true
	}
	return m
}

// request sends a request and returns its response.
func (c *smokeClient) request(method, params string) smokeMessage {
	c.tb.Helper()
	c.lastID++
	c.send(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.lastID, method, params)
	for {
		if m := c.readMessage(); m.Method == "" && string(m.ID) == fmt.Sprint(c.lastID) {
			return m
		}
	}
}

// listTools returns the names of the tools on all pages.
func (c *smokeClient) listTools() []string {
	c.tb.Helper()
	c.stale = false
	var names []string
	params := `{}`
	for {
		var page struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
		if err := json.Unmarshal(c.request("tools/list", params).Result, &page); err != nil {
			c.tb.Fatalf("tools/list: %v", err)
		}
		for _, tool := range page.Tools {
			names = append(names, tool.Name)
		}
		if page.NextCursor == "" {
			return names
		}
		params = fmt.Sprintf(`{"cursor":%q}`, page.NextCursor)
	}
}

// awaitChange waits until the list has changed, bounded by the deadline of the test.
func (c *smokeClient) awaitChange() {
	c.tb.Helper()
	for !c.stale {
		c.readMessage()
	}
}

func (c *smokeClient) callTool(name string) {
	c.tb.Helper()
	answer := c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, name))
	if wrong := answer.problem(); wrong != "" {
		c.tb.Errorf("%s: %s", name, wrong)
	}
}

// problem returns what is wrong with a response to a call, "" if it is valid.
func (m smokeMessage) problem() string {
	switch {
	case m.Error != nil && m.Error.Code == codeInvalidParams && !strings.HasPrefix(m.Error.Message, "Tool name"):
		return ""
	case m.Error != nil:
		return fmt.Sprintf("error %d: %s", m.Error.Code, m.Error.Message)
	case !strings.HasPrefix(string(m.Result), "{"):
		return "neither a result nor an error"
	}
	return ""
}

// closeAndWait closes the program's standard input, as a client does to stop a server.
func (c *smokeClient) closeAndWait() {
	c.tb.Helper()
	if err := c.in.Close(); err != nil {
		c.tb.Errorf("close: %v", err)
	}
	if _, err := io.Copy(io.Discard, c.out); err != nil {
		c.tb.Errorf("output: %v", err)
	}
	if err := c.program.Wait(); err != nil {
		c.tb.Errorf("the program's end: %v", err)
	}
}
