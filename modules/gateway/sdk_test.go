package gateway_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/wire"
)

func TestTheClientOfTheSDKIsServed(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	changed, progress := make(chan struct{}, 9), make(chan float64, 9)
	client := mcp.NewClient(&mcp.Implementation{Name: "somebody", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- r.Params.Progress
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"said": r.Params.Message}}, nil
		},
	})
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.server.URL, HTTPClient: h.server.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	if got := session.InitializeResult(); got.ServerInfo.Name != "mcp-aggregator" || got.ProtocolVersion != "2025-11-25" {
		t.Errorf("%+v", got)
	}
	if err := session.Ping(t.Context(), nil); err != nil {
		t.Error(err)
	}
	h.tools.ReplaceTools("srv", [][]byte{[]byte(`{"name":"t","inputSchema":{"type":"object"}}`)})
	receive(t, "list_changed", changed)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 3 || list.Tools[2].Name != "srv.t" {
		t.Fatalf("%+v, %v", list, err)
	}
	h.handleCalls(notifyThenAnswer)
	params := &mcp.CallToolParams{Name: "srv.t", Arguments: map[string]any{"a": 1}}
	params.SetProgressToken("p")
	result, err := session.CallTool(t.Context(), params)
	if err != nil || result.Content[0].(*mcp.TextContent).Text != `{"action":"accept","content":{"said":"who?"}}` {
		t.Errorf("%+v, %v", result, err)
	}
	if got := receive(t, "progress", progress); got != 0.5 {
		t.Error(got)
	}
	if own, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_servers"}); err != nil || own.StructuredContent == nil {
		t.Errorf("%+v, %v", own, err)
	}
}

// notifyThenAnswer sends progress and answers with the client's arguments.
func notifyThenAnswer(_ context.Context, call router.Call) (*router.Answer, error) {
	token := call.Request.Param("_meta", "progressToken").Of(call.Request.Line)
	call.Client.Notify([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":0.5,"progressToken":` + string(token) + `}}`))
	said := make(chan string, 1)
	call.Client.ForwardRequest(message(`{"jsonrpc":"2.0","id":"x","method":"elicitation/create","params":{"mode":"form","message":"who?","requestedSchema":{"type":"object","properties":{"said":{"type":"string"}}}}}`), func(response *wire.Message) {
		said <- string(wire.AppendQuoted(nil, string(response.Result.Of(response.Line))))
	})
	return answerOf(`{"jsonrpc":"2.0","id":0,"result":{"content":[{"type":"text","text":` + <-said + `}]}}`), nil
}

func TestTheClientOfTheSDKCancels(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	open, causes := make(chan struct{}), make(chan error, 1)
	h.handleCalls(func(ctx context.Context, _ router.Call) (*router.Answer, error) {
		close(open)
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "somebody", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.server.URL, HTTPClient: h.server.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-open
		cancel()
	}()
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "srv.t"}); err == nil {
		t.Error("it was answered")
	}
	if cause := receive(t, "the end", causes); cause.Error() != "the client has cancelled the call" {
		t.Error(cause)
	}
}
