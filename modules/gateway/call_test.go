package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
)

func TestACallAndItsAnswerAreCarriedAsTheyAre(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	result := `{ "content":[{"type":"hologram","n":1e400,"m":12345678901234567890}],"b":1,"a":2,"a":3,` + "\n" + `"_meta":{"x":"\u0041\/<é>"},"metadata":null}`
	var got router.Call
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		got = call
		return answerOf(`{"result":` + result + `,"id":0,"jsonrpc":"2.0","more":1.0}`), nil
	})
	v := h.connectAs(t, "2025-11-25", "claude-ai", `{}`)
	answer := v.post(t, "{\"jsonrpc\":\"2.0\",\r\n\"params\":{\"arguments\":{\"n\":1.0,\n\"big\":12345678901234567890,\"a\":1,\"a\":2,\"s\":\"\\n\\u0041\"},\"name\":\"srv__\\u0074\",\"odd\":[]},\"method\":\"tools/call\",\"id\":\"\\/\"}")
	if want := `{"result":` + result + `,"id":"\/","jsonrpc":"2.0","more":1.0}`; answer.body != want || answer.kind != "application/json" {
		t.Errorf("%+v\nwant\n%s", answer, want)
	}
	if want := "{\"jsonrpc\":\"2.0\",  \"params\":{\"arguments\":{\"n\":1.0, \"big\":12345678901234567890,\"a\":1,\"a\":2,\"s\":\"\\n\\u0041\"},\"name\":\"srv__\\u0074\",\"odd\":[]},\"method\":\"tools/call\",\"id\":\"\\/\"}"; string(got.Request.Line) != want {
		t.Errorf("%s\nwant\n%s", got.Request.Line, want)
	}
	if got.Query.Name != "srv__t" || got.Query.Server != "" || !got.Query.Naming.MayOwn("srv", "srv__t") || got.Client == nil {
		t.Errorf("%+v", got.Query)
	}
}

func TestAnErrorOfAServerIsCarriedAsItIs(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.handleCalls(func(context.Context, router.Call) (*router.Answer, error) {
		return answerOf(`{"jsonrpc":"2.0","id":0,"error":{"code":-1.0,"message":"m","data":{"n":1e400}}}`), nil
	})
	if got, want := h.connect(t).post(t, call("1")).body, `{"jsonrpc":"2.0","id":1,"error":{"code":-1.0,"message":"m","data":{"n":1e400}}}`; got != want {
		t.Errorf("%s", got)
	}
}

func TestACallThatReachesNoServerReturnsAnError(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"an unknown tool":            {&servers.UnknownToolError{Name: "srv.t"}, `"error":{"code":-32602,"message":"Unknown tool: srv.t"}`},
		"with a suggestion":          {&servers.UnknownToolError{Name: "srv.t", Nearest: []string{"srv.tt"}, Hint: "; nearest: srv.tt"}, `"error":{"code":-32602,"message":"Unknown tool: srv.t; nearest: srv.tt"}`},
		"similar to a built-in tool": {&servers.UnknownToolError{Name: "list-server", Nearest: []string{"a.list"}, Hint: "; nearest: a.list"}, `"error":{"code":-32602,"message":"Unknown tool: list-server; nearest: list_servers, a.list"}`},
		"a disconnected server":      {&servers.UnavailableError{Server: "srv", Status: servers.Errored, Reason: "no"}, `"error":{"code":-32603,"message":"server \"srv\" is not connected: its status is ERROR: no","data":{"server":"srv","status":"ERROR","reason":"no"}}`},
		"a call that was lost":       {&servers.LostError{Server: "srv", Reason: "gone"}, `"error":{"code":-32603,"message":"server \"srv\": gone: whether the call was executed is unknown","data":{"server":"srv","outcome":"unknown"}}`},
		"any other error":            {errors.New("odd"), `"error":{"code":-32603,"message":"odd"}`},
		"a wrapped error":            {fmt.Errorf("a: %w", &servers.UnknownToolError{Name: "x"}), `"error":{"code":-32602,"message":"Unknown tool: x"}`},
	} {
		t.Run(name, func(t *testing.T) {
			h.handleCalls(func(context.Context, router.Call) (*router.Answer, error) { return nil, test.err })
			if got := c.post(t, call("1")); got.body != `{"jsonrpc":"2.0","id":1,`+test.want+`}` || got.status != http.StatusOK {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestNotificationsBeforeTheResponseMakeAnEventStreamInOrder(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		line := make([]byte, 0, 100)
		for i := range 100 {
			line = fmt.Appendf(line[:0], `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}`, i)
			call.Client.Notify(line)
		}
		return answerOf("{\"jsonrpc\":\"2.0\",\n\"id\":0,\"result\":{\"a\":\"\\n\"}}"), nil
	})
	got := h.connect(t).post(t, call("1"))
	all := events(got.body)
	if got.kind != "text/event-stream" || len(all) != 101 || all[100] != `{"jsonrpc":"2.0", "id":1,"result":{"a":"\n"}}` {
		t.Fatalf("%+v", got)
	}
	for i, event := range all[:100] {
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d}}`, i); event != want {
			t.Fatalf("%s\nwant\n%s", event, want)
		}
	}
}

func TestNothingIsSentAfterTheResponse(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	var client router.Client
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		client = call.Client
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	v := h.connectAs(t, "2025-11-25", "a", `{"elicitation":{}}`)
	if got := v.post(t, call("1")); got.kind != "application/json" {
		t.Errorf("%+v", got)
	}
	client.Notify([]byte(`{"jsonrpc":"2.0","method":"notifications/progress"}`))
	if client.ForwardRequest(message(elicitation), func(*wireMessage) { t.Error("it is answered") }) != nil {
		t.Error("the request is sent")
	}
	if client.SessionID() != v.header.Get("Mcp-Session-Id") {
		t.Error(client.SessionID())
	}
}

func TestAClientThatDoesNotReadBlocksNobody(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	notified, release := make(chan struct{}), make(chan struct{})
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		if call.Query.Name == "srv.t" {
			line := []byte(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 1<<20) + `"}`)
			for range 64 {
				call.Client.Notify(line)
			}
			close(notified)
			<-release
		}
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	slow := c.stream(t, http.MethodPost, call("1"))
	receive(t, "the last notification", notified)
	if got := c.post(t, strings.Replace(call("2"), "srv.t", "srv.u", 1)); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	close(release)
	n, last := 0, ""
	for event := slow.nextEvent(t); event != ""; event = slow.nextEvent(t) {
		n, last = n+1, event
	}
	if n >= 64 || last != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("%d events, the last one: %.100s", n, last)
	}
}

func TestAClientCancels(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	open, causes := make(chan struct{}), make(chan error, 1)
	h.handleCalls(func(ctx context.Context, _ router.Call) (*router.Answer, error) {
		close(open)
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	answer := c.postAsync(t, call(`"\u0041"`))
	receive(t, "the call", open)
	c.post(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"B"}}`)
	note := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"A","reason":"\u0062ored","n":1.0}}`
	c.post(t, note)
	cause, ok := errors.AsType[*router.CancelledError](receive(t, "the end", causes))
	if !ok || string(cause.Note.Line) != note {
		t.Errorf("%+v", cause)
	}
	if got := receive(t, "the response", answer); got.status != http.StatusAccepted || got.body != "" {
		t.Errorf("%+v", got)
	}
}

func TestAnIDThatIsInUseIsRefused(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c, other := h.connect(t), h.connect(t)
	open, release := make(chan struct{}, 2), make(chan struct{})
	h.handleCalls(func(context.Context, router.Call) (*router.Answer, error) {
		open <- struct{}{}
		<-release
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	first := c.postAsync(t, call("1"))
	receive(t, "the call", open)
	mustContain(t, c.post(t, call("1.0")).body, `{"jsonrpc":"2.0","id":1.0,"error":{"code":-32600,"message":"Invalid request: a request with the same id is open`)
	second := other.postAsync(t, call("1"))
	receive(t, "the call of another session", open)
	close(release)
	for _, answer := range []<-chan reply{first, second} {
		if got := receive(t, "the answer", answer); got.body != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("%+v", got)
		}
	}
	if got := c.post(t, call("1")); got.status != http.StatusOK {
		t.Errorf("the id is free again: %+v", got)
	}
}

func TestACallOutlivesTheConnectionOfItsClient(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	gone, ended := make(chan struct{}), make(chan error, 1)
	h.handleCalls(func(ctx context.Context, call router.Call) (*router.Answer, error) {
		call.Client.Notify([]byte(`{"jsonrpc":"2.0","method":"notifications/progress"}`))
		<-gone
		time.Sleep(50 * time.Millisecond) // until the HTTP server notices
		for range 10 {
			call.Client.Notify([]byte(`{"jsonrpc":"2.0","method":"notifications/progress"}`))
		}
		ended <- ctx.Err()
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	stream := c.stream(t, http.MethodPost, call("1"))
	stream.nextEvent(t)
	_ = stream.response.Body.Close()
	close(gone)
	if err := receive(t, "the end of the call", ended); err != nil {
		t.Errorf("the call was cancelled: %v", err)
	}
	h.handleCalls(nil)
	eventually(t, "the id is free again", func() bool {
		return !strings.Contains(c.post(t, call("1")).body, "error")
	})
}

func TestClientsWithoutARuleCallByDottedNames(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	var naming *registry.Naming
	h.handleCalls(func(_ context.Context, call router.Call) (*router.Answer, error) {
		naming = call.Query.Naming
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	h.connect(t).post(t, call("1"))
	if naming.MayOwn("srv", "srv__t") || !naming.MayOwn("srv", "srv.t") {
		t.Error("they have others")
	}
}
