// Command backend is an MCP server with minimal cost, over streamable HTTP at /mcp and over
// HTTP with server-sent events at /sse. It parses only the id of a request and answers with
// precomputed bytes. Called directly, it is the plain HTTP server to compare a gateway with.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"

	"mcp-aggregator/bench/payload"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "backend:", err)
		os.Exit(1)
	}
}

func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "listening at http://%s\n", listener.Addr())
	events := newEvents()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /mcp", post)
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) })
	mux.HandleFunc("GET /sse", events.open)
	mux.HandleFunc("POST /message", events.post)
	return http.Serve(listener, mux)
}

// post answers over streamable HTTP (MCP 2025-11-25, basic/transports), without a
// session.
func post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	answer := answerTo(body)
	if answer == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer)
}

var (
	initialized = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"backend","version":"1"}}`
	tools       = `{"tools":[{"name":"x100","inputSchema":{"type":"object"}}]}`
	result      = payload.Result(false, 100)
)

// answerTo returns the answer to a message, or nil for a notification.
func answerTo(message []byte) []byte {
	_, rest, found := bytes.Cut(message, []byte(`"id":`))
	if !found {
		return nil
	}
	answer := append([]byte(`{"jsonrpc":"2.0","id":`), rest[:bytes.IndexAny(rest, ",}")]...)
	answer = append(answer, `,"result":`...)
	switch {
	case bytes.Contains(message, []byte(`"tools/call"`)):
		answer = append(answer, result...)
	case bytes.Contains(message, []byte(`"tools/list"`)):
		answer = append(answer, tools...)
	case bytes.Contains(message, []byte(`"initialize"`)):
		answer = append(answer, initialized...)
	default:
		answer = append(answer, "{}"...)
	}
	return append(answer, '}')
}
