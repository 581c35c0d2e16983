package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/servers"
)

// sdkServer serves a server of the SDK over both transports.
func sdkServer(t *testing.T, options *mcp.StreamableHTTPOptions) (server *mcp.Server, url func(servers.Transport) string) {
	t.Helper()
	server = mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	type greeting struct {
		Name string `json:"name"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "greet"}, func(_ context.Context, _ *mcp.CallToolRequest, in greeting) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Hi " + in.Name}}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "ask"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: 1})
		answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who?", RequestedSchema: map[string]any{"type": "object"}})
		if err != nil {
			return nil, nil, err
		}
		text, _ := json.Marshal(answer.Content)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, nil
	})
	get := func(*http.Request) *mcp.Server { return server }
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, options))
	mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	h := httptest.NewServer(mux)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return server, func(transport servers.Transport) string {
		if transport == servers.SSE {
			return h.URL + "/sse"
		}
		return h.URL + "/mcp"
	}
}

func TestServersOfTheSDK(t *testing.T) {
	for way, by := range map[string]struct {
		transport servers.Transport
		options   *mcp.StreamableHTTPOptions
	}{
		"sse":                                   {servers.SSE, nil},
		"streamable HTTP":                       {servers.HTTP, nil},
		"streamable HTTP, stateless":            {servers.HTTP, &mcp.StreamableHTTPOptions{Stateless: true}},
		"streamable HTTP, documents":            {servers.HTTP, &mcp.StreamableHTTPOptions{JSONResponse: true}},
		"streamable HTTP, with a store of them": {servers.HTTP, &mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)}},
	} {
		t.Run(way, func(t *testing.T) {
			_, url := sdkServer(t, by.options)
			c := connect(t, by.transport, url(by.transport))
			if tools := await(t, "the tools", c.tools); len(tools) != 2 || !strings.Contains(strings.Join(tools, ""), `"name":"greet"`) {
				t.Errorf("the tools are %s", tools)
			}
			for range 3 {
				got := c.result(c.call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"name":"you"}}}`, `"greet"`))
				if !strings.Contains(got, `"result":{"content":[{"type":"text","text":"Hi you"}]}`) {
					t.Errorf("the answer is %s", got)
				}
			}
			if got := c.result(c.callTool("none")); !strings.Contains(got, `"error":{"code":-32602`) {
				t.Errorf("the answer is %s", got)
			}
		})
	}
}

func TestRequestsOfAServerDuringACall(t *testing.T) {
	for way, transport := range map[string]servers.Transport{"sse": servers.SSE, "streamable HTTP": servers.HTTP} {
		t.Run(way, func(t *testing.T) {
			_, url := sdkServer(t, nil)
			c := connect(t, transport, url(transport))
			r := c.call(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{},"_meta":{"progressToken":7}}}`, `"ask"`)
			progress, question := await(t, "the progress", c.messages), await(t, "the question", c.messages)
			if !strings.Contains(progress.line, `"notifications/progress"`) || !strings.Contains(progress.line, `"progressToken":7`) {
				t.Errorf("the first message is %s", progress.line)
			}
			if !strings.Contains(question.line, `"elicitation/create"`) || question.id == "" {
				t.Errorf("the second message is %s", question.line)
			}
			if known := question.of == any(r); known != (transport == servers.HTTP) {
				t.Errorf("whose call it came in: %v", question.of)
			}
			question.from.Send([]byte(`{"jsonrpc":"2.0","id":`), []byte(question.id), []byte(`,"result":{"action":"accept","content":{"n":"me"}}}`))
			if got := c.result(r); !strings.Contains(got, `{\"n\":\"me\"}`) {
				t.Errorf("the answer is %s", got)
			}
		})
	}
}

func TestChangedToolsAreReadAgain(t *testing.T) {
	for way, transport := range map[string]servers.Transport{"sse": servers.SSE, "streamable HTTP": servers.HTTP} {
		t.Run(way, func(t *testing.T) {
			server, url := sdkServer(t, nil)
			c := connect(t, transport, url(transport))
			await(t, "the tools", c.tools)
			for i := 0; len(c.tools) == 0; i++ { // until the server's own stream is open
				mcp.AddTool(server, &mcp.Tool{Name: fmt.Sprint("more", i)}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
					return nil, nil, nil
				})
				time.Sleep(20 * time.Millisecond)
			}
			if tools := <-c.tools; len(tools) < 3 {
				t.Errorf("the tools are %s", tools)
			}
		})
	}
}

func TestAServerWithoutToolsHasNone(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "bare", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}})
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	defer h.Close()
	c := connect(t, servers.HTTP, h.URL)
	if tools := await(t, "the tools", c.tools); len(tools) != 0 {
		t.Errorf("the tools are %s", tools)
	}
	c.Close()
	h.CloseClientConnections()
}

func TestInitializeParams(t *testing.T) {
	for way, by := range transports {
		t.Run(way, func(t *testing.T) {
			b := (&backend{documents: by.documents}).start(t)
			connect(t, by.transport, b.url(by.transport))
			want := `"params":{"capabilities":{"elicitation":{"form":{},"url":{}},"sampling":{}},"clientInfo":{"name":"mcp-aggregator","version":"unknown"},"protocolVersion":"2025-11-25"}`
			if got := b.received(`"initialize"`); len(got) != 1 || !sameJSON(got[0], `{"jsonrpc":"2.0","id":1,"method":"initialize",`+want+`}`) {
				t.Errorf("it got %s", got)
			}
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	one, _ := json.Marshal(x)
	other, _ := json.Marshal(y)
	return string(one) == string(other)
}
