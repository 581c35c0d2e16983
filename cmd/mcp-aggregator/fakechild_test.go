package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fakeServer is an MCP server without an SDK, so that its messages are not normalized.
type fakeServer struct {
	tools  string // raw JSON array
	result string // raw JSON; the result of every call, instead of its params
	refuse string // raw JSON; the error that every call is answered with
	called string // file to create when there is a call
	gate   string // file that every call waits for
}

// fakeChild is the main function of the server. It exits by syscall.Exit, which
// skips what a coverage build would write to standard error.
func fakeChild() {
	var s fakeServer
	flag.StringVar(&s.tools, "tools", `[{"name":"echo","description":"Says it again.\nAnd again.","inputSchema":{"type":"object"}}]`, "")
	flag.StringVar(&s.result, "result", "", "")
	flag.StringVar(&s.refuse, "refuse", "", "")
	flag.StringVar(&s.called, "called", "", "")
	flag.StringVar(&s.gate, "gate", "", "")
	failure := flag.String("failure", "", "what is said before the end, at the start")
	flag.String("secret", "", "an argument that nobody may see")
	flag.Parse()
	if *failure != "" {
		fmt.Fprintln(os.Stderr, *failure)
		syscall.Exit(3)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		s.handle(lines.Bytes())
	}
	syscall.Exit(0)
}

func (s *fakeServer) handle(line []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	must(json.Unmarshal(line, &m))
	switch {
	case m.ID == nil:
	case m.Method == "initialize":
		answer(m.ID, "result", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1"}}`)
	case m.Method == "tools/list":
		answer(m.ID, "result", `{"tools":`+s.tools+`}`)
	case m.Method == "tools/call":
		s.call(m.ID, m.Params)
	default:
		answer(m.ID, "error", `{"code":-32601,"message":"no such method"}`)
	}
}

func (s *fakeServer) call(id, params json.RawMessage) {
	if s.called != "" {
		must(os.WriteFile(s.called, nil, 0o600))
	}
	for s.gate != "" {
		if _, err := os.Stat(s.gate); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	var call struct{ Name string }
	must(json.Unmarshal(params, &call))
	switch {
	case s.refuse != "":
		answer(id, "error", s.refuse)
	case s.result != "":
		answer(id, "result", s.result)
	case call.Name == "env":
		environ, err := json.Marshal(reported(os.Environ()))
		must(err)
		answer(id, "result", `{"env":`+string(environ)+`}`)
	default:
		answer(id, "result", string(params))
	}
}

// reported returns the variables that scripts look for; others hold secrets.
func reported(environ []string) (told []string) {
	for _, entry := range slices.Sorted(slices.Values(environ)) {
		if strings.HasPrefix(entry, "ASKED=") || strings.HasPrefix(entry, "GREETING=") || strings.HasPrefix(entry, "MCP_AGGREGATOR") {
			told = append(told, entry)
		}
	}
	return told
}

// answer writes one line. It ignores a reader that has gone.
func answer(id json.RawMessage, member, value string) {
	_, _ = fmt.Fprintf(os.Stdout, `{"jsonrpc":"2.0","id":%s,%q:%s}`+"\n", id, member, value)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "fakechild:", err)
		syscall.Exit(99)
	}
}

// sdkServer is the main function of a server that uses the SDK.
func sdkServer() {
	server := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	type input struct {
		Name string `json:"name" jsonschema:"whom to greet"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "greet", Description: "Says hello"},
		func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hello, " + in.Name}}}, nil, nil
		})
	_ = server.Run(context.Background(), &mcp.StdioTransport{}) // ends with its input
	syscall.Exit(0)
}
