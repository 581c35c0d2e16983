// Command typedproxy is the proxy that one would otherwise write: the typed
// client and server of the SDK, with a handler for each tool. It starts the
// server that its arguments name.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	if err := proxy(context.Background(), exec.Command(os.Args[1], os.Args[2:]...)); err != nil {
		fmt.Fprintln(os.Stderr, "typedproxy:", err)
		os.Exit(1)
	}
}

func proxy(ctx context.Context, cmd *exec.Cmd) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "typedproxy", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	defer session.Close() //nolint:errcheck // the server has been told
	server := mcp.NewServer(&mcp.Implementation{Name: "typedproxy", Version: "1"}, nil)
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		original := tool.Name
		tool.Name = "s0:" + original
		server.AddTool(tool, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return session.CallTool(ctx, &mcp.CallToolParams{Name: original, Arguments: request.Params.Arguments})
		})
	}
	return server.Run(ctx, &mcp.StdioTransport{})
}
