// Command typedproxy is a conventional proxy: the typed client and server of the SDK, with
// a handler for each tool. It starts the server given by its arguments and serves standard
// input and output or, with -listen, streamable HTTP.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	listen := flag.String("listen", "", "address to serve streamable HTTP at; standard streams unless given")
	flag.Parse()
	if err := proxy(context.Background(), exec.Command(flag.Arg(0), flag.Args()[1:]...), *listen); err != nil {
		fmt.Fprintln(os.Stderr, "typedproxy:", err)
		os.Exit(1)
	}
}

func proxy(ctx context.Context, cmd *exec.Cmd, listen string) error {
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
	if listen == "" {
		return server.Run(ctx, &mcp.StdioTransport{})
	}
	return serve(listen, server)
}

func serve(address string, server *mcp.Server) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "listening at http://%s\n", listener.Addr())
	return http.Serve(listener, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{JSONResponse: true}))
}
