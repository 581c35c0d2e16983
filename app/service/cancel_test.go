package service_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/testutil"
)

// hanging are servers of the SDK over each transport, whose tool signals when it is called
// and when it is cancelled.
type hanging struct{ called, cancelled chan struct{} }

func (h *hanging) setUp(server *mcp.Server) {
	mcp.AddTool(server, &mcp.Tool{Name: "hang"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		h.called <- struct{}{}
		<-ctx.Done()
		h.cancelled <- struct{}{}
		return nil, nil, ctx.Err()
	})
}

// overHTTP serves a server of the SDK over SSE and streamable HTTP.
func overHTTP(t *testing.T, server *mcp.Server) (url string) {
	t.Helper()
	get := func(*http.Request) *mcp.Server { return server }
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	served := httptest.NewServer(mux)
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	return served.URL
}

func TestCancellingReachesTheServer(t *testing.T) {
	h := &hanging{make(chan struct{}, 1), make(chan struct{}, 1)}
	server := mcp.NewServer(&mcp.Implementation{Name: "hanging", Version: "1"}, nil)
	h.setUp(server)
	url := overHTTP(t, server)
	s := start(t, testutil.Spawner{"stdio": testutil.SDK(h.setUp)})
	for transport, connection := range map[string]string{
		"STDIO": `{"command":"x"}`, "SSE": `{"url":"` + url + `/sse"}`, "HTTP": `{"base_url":"` + url + `/mcp"}`,
	} {
		name := strings.ToLower(transport)
		s.await(s.register(name, transport, connection).ID, "CONNECTED")
		for way, call := range map[string]struct {
			path   string
			params mcp.CallToolParams
		}{
			"listed":            {"/mcp", mcp.CallToolParams{Name: name + ".hang", Arguments: json.RawMessage(`{}`)}},
			"through call_tool": {"/mcp/search", mcp.CallToolParams{Name: "call_tool", Arguments: json.RawMessage(`{"name":"` + name + `.hang"}`)}},
		} {
			t.Run(transport+", "+way, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				client := s.hostAt(call.path, "test", false)
				go func() {
					_, err := client.CallTool(ctx, &call.params)
					ended <- err
				}()
				<-h.called
				cancel()
				<-h.cancelled
				if err := <-ended; err == nil {
					t.Error("the call succeeds")
				}
			})
		}
	}
}

// A caller over REST cancels by closing its connection.
func TestACallerWhoLeavesCancels(t *testing.T) {
	h := &hanging{make(chan struct{}, 1), make(chan struct{}, 1)}
	s := start(t, testutil.Spawner{"a": testutil.SDK(h.setUp)})
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v1/tools/call", strings.NewReader(called("a.hang", `{}`)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
		}
		ended <- err
	}()
	<-h.called
	cancel()
	<-h.cancelled
	if err := <-ended; err == nil {
		t.Error("the call succeeds")
	}
}
