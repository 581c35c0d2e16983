package service_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/testutil"
)

func TestCallsUnderWayEndBeforeTheServiceDoes(t *testing.T) {
	called, release := make(chan struct{}), make(chan struct{})
	slow := testutil.SDK(func(server *mcp.Server) {
		mcp.AddTool(server, &mcp.Tool{Name: "x"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			called <- struct{}{}
			<-release
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
		})
	})
	s := start(t, testutil.Spawner{"a": slow})
	s.await(s.register("a", "STDIO", `{"command":"x"}`).ID, "CONNECTED")
	c := s.connect("test", "{}")
	stream := c.openStream()
	defer stream.close()
	answers := make(chan string, 2)
	go func() {
		_, text := s.rest(http.MethodPost, "/tools/call", `{"name":"a.x","arguments":{}}`)
		answers <- text
	}()
	<-called
	go func() {
		answers <- c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.x","arguments":{}}}`)
	}()
	<-called
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.stop()
	}()
	s.until("no more connections", func() bool { return !accepts(t, strings.TrimPrefix(s.url, "http://")) })
	close(release)
	for range 2 {
		if got := <-answers; !strings.Contains(got, "done") {
			t.Errorf("the answer is %s", got)
		}
	}
	<-stopped
}

func accepts(t *testing.T, address string) bool {
	t.Helper()
	connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err == nil {
		_ = connection.Close() // nothing was sent
	}
	return err == nil
}

// Disconnecting waits for calls, too, and accepts no more meanwhile.
func TestCallsUnderWayEndBeforeTheServerIsDisconnected(t *testing.T) {
	called, release := make(chan struct{}), make(chan struct{})
	slow := testutil.SDK(func(server *mcp.Server) {
		mcp.AddTool(server, &mcp.Tool{Name: "x"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			close(called)
			<-release
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
		})
	})
	s := start(t, testutil.Spawner{"a": slow})
	id := s.register("a", "STDIO", `{"command":"x"}`).ID
	s.await(id, "CONNECTED")
	answer, disconnected := make(chan string, 1), make(chan string, 1)
	go func() {
		_, text := s.rest(http.MethodPost, "/tools/call", `{"name":"a.x","arguments":{}}`)
		answer <- text
	}()
	<-called
	go func() {
		_, text := s.rest(http.MethodPost, "/aggregator/servers/"+id+"/disconnect", "")
		disconnected <- text
	}()
	s.await(id, "DISCONNECTED")
	s.api().refused(http.StatusServiceUnavailable, "a.x", `{}`)
	close(release)
	if got := <-answer; !strings.Contains(got, "done") {
		t.Errorf("the answer is %s", got)
	}
	if got := <-disconnected; !strings.Contains(got, `"status":"DISCONNECTED"`) || !strings.Contains(got, `"pending_requests":0`) {
		t.Errorf("it is disconnected with %s", got)
	}
}
