package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/router"
)

func TestASessionBeginsWithInitialize(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{Version: "1.2.3"})
	for id, kept := range map[string]string{
		"a large number":           `123456789012345678901234567890`,
		"a number with a fraction": `1.50e1`,
		"a string with escapes":    `"\u0061\/\"\n<é>"`,
		"an empty string":          `""`,
	} {
		t.Run("with the id "+id, func(t *testing.T) {
			got := h.clientWithoutSession().post(t, `{"jsonrpc":"2.0","id":`+kept+`,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`)
			if got.status != http.StatusOK || got.kind != "application/json" || got.header.Get("Mcp-Session-Id") == "" {
				t.Errorf("%+v", got)
			}
			mustContain(t, got.body, `"id":`+kept+`,`)
			mustContain(t, got.body, `"serverInfo":{"name":"mcp-aggregator","version":"1.2.3"}`)
			mustContain(t, got.body, `"capabilities":{"tools":{"listChanged":true}}`)
		})
	}
}

func TestInitializeAgreesOnARevision(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	for asked, want := range map[string]string{
		"2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26",
		"2024-11-05": "2025-11-25", "2099-01-01": "2025-11-25", "": "2025-11-25", `\u0000`: "2025-11-25",
	} {
		t.Run("asked for "+asked, func(t *testing.T) {
			got := h.clientWithoutSession().post(t, initialize(asked, "a", `{}`))
			mustContain(t, got.body, `"protocolVersion":"`+want+`"`)
		})
	}
}

func TestInitializeAcceptsUnexpectedTypes(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	for _, params := range []string{
		`{"protocolVersion":"2025-11-25"}`,
		`{"protocolVersion":"2025-11-25","clientInfo":7,"capabilities":[]}`,
		`{"protocolVersion":"2025-11-25","clientInfo":{"name":[1]},"capabilities":{"elicitation":0,"sampling":null,"roots":{"listChanged":"yes"}}}`,
		`{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","icons":{}},"capabilities":{"experimental":1e400}}`,
	} {
		got := h.clientWithoutSession().post(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":`+params+`}`)
		if got.status != http.StatusOK || got.header.Get("Mcp-Session-Id") == "" {
			t.Errorf("%s: %+v", params, got)
		}
	}
}

func TestInitializeIsRefused(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	for name, test := range map[string]struct{ body, want string }{
		"without a revision": {
			`{"jsonrpc":"2.0","id":"\u0061","method":"initialize","params":{}}`,
			`{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32602,"message":"initialize: protocolVersion must be a string"}}`,
		},
		"with a method that occurs twice": {
			`{"jsonrpc":"2.0","id":1,"method":"initialize","method":"ping","params":{}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: method occurs twice"}}`,
		},
		"within a batch": {
			`[` + initialize("2025-03-26", "a", `{}`) + `]`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: batches are part of protocol version 2025-03-26 only"}}`,
		},
		"when another request is meant": {
			`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: a session begins with initialize"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := h.clientWithoutSession().post(t, test.body)
			if got.status != http.StatusBadRequest || got.body != test.want || got.header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestASecondInitializeOfASessionIsRefused(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	mustContain(t, h.connect(t).post(t, initialize("2025-11-25", "a", `{}`)).body, "initialize was already answered")
}

func TestAnUnknownSessionIsNotFound(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.clientWithoutSession().withHeader("Mcp-Session-Id", "nobody")
	for _, body := range []string{call("1"), initialize("2025-11-25", "a", `{}`), `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
		if got := v.post(t, body); got.status != http.StatusNotFound {
			t.Errorf("%s: %+v", body, got)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if got := v.do(t, method, ""); got.status != http.StatusNotFound {
			t.Errorf("%s: %+v", method, got)
		}
	}
}

func TestADeletedSessionIsGone(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{MaxSessions: 1})
	v := h.connect(t)
	open, ended := make(chan struct{}), make(chan error, 1)
	h.handleCalls(func(ctx context.Context, _ router.Call) (*router.Answer, error) {
		close(open)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	answer := v.postAsync(t, call("1"))
	receive(t, "the call", open)
	if got := v.do(t, http.MethodDelete, ""); got.status != http.StatusNoContent {
		t.Fatalf("%+v", got)
	}
	if err := receive(t, "the end of the call", ended); err != context.Canceled { //nolint:errorlint // not the client's cancellation
		t.Error(err)
	}
	mustContain(t, receive(t, "the answer", answer).body, `"code":-32603`)
	if got := v.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); got.status != http.StatusNotFound {
		t.Errorf("%+v", got)
	}
	h.connect(t) // there is a place for another one
}

func TestTheLongestIdleSessionMakesRoom(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{MaxSessions: 2})
	first, second := h.connect(t), h.connect(t)
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if got := first.post(t, ping); got.status != http.StatusOK {
		t.Errorf("%+v", got)
	}
	h.connect(t)
	for name, test := range map[string]struct {
		visitor *testClient
		want    int
	}{"the one that was used": {first, http.StatusOK}, "the other": {second, http.StatusNotFound}} {
		if got := test.visitor.post(t, ping); got.status != test.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTheNumberOfSessionsInUseIsBounded(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{MaxSessions: 2})
	first := h.connect(t)
	for _, v := range []*testClient{first, h.connect(t)} {
		v.stream(t, http.MethodGet, "")
	}
	got := h.clientWithoutSession().post(t, initialize("2025-11-25", "a", `{}`))
	if got.status != http.StatusServiceUnavailable || got.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%+v", got)
	}
	mustContain(t, got.body, "no further session: the service is stopping, or has the maximum of 2 sessions; end some")
	first.do(t, http.MethodDelete, "")
	h.connect(t)
}

func TestAnIdleSessionEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, gateway.Options{IdleTime: time.Hour})
		h.handleCalls(func(context.Context, router.Call) (*router.Answer, error) {
			time.Sleep(2 * time.Hour)
			return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
		})
		session := h.serveDirect(t, initialize("2025-11-25", "a", `{}`), "").header.Get("Mcp-Session-Id")
		ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		for range 5 {
			time.Sleep(50 * time.Minute)
			if got := h.serveDirect(t, ping, session); got.status != http.StatusOK {
				t.Fatalf("in use: %+v", got)
			}
		}
		if got := h.serveDirect(t, call("2"), session); got.status != http.StatusOK { // the session is in use
			t.Fatalf("a long call: %+v", got)
		}
		time.Sleep(67 * time.Minute)
		if got := h.serveDirect(t, ping, session); got.status != http.StatusNotFound {
			t.Errorf("%+v", got)
		}
	})
}

func TestNoSessionOutlivesTheService(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connect(t)
	if err := h.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := v.post(t, call("1")); got.status != http.StatusNotFound {
		t.Errorf("%+v", got)
	}
	if got := h.clientWithoutSession().post(t, initialize("2025-11-25", "a", `{}`)); got.status != http.StatusServiceUnavailable {
		t.Errorf("%+v", got)
	}
}

func TestMessagesWithoutASessionCreateNone(t *testing.T) {
	h := newHarness(t, gateway.Options{})
	before := runtime.NumGoroutine()
	for name, test := range map[string]struct{ version, body string }{
		"a question for revisions":          {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`},
		"the same without a revision":       {"", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`},
		"initialize of a later revision":    {"2026-07-28", initialize("2026-07-28", "a", `{}`)},
		"initialize within a batch":         {"", "[" + initialize("2025-03-26", "a", `{}`) + "]"},
		"the same with an earlier revision": {"2025-03-26", "[" + initialize("2025-03-26", "a", `{}`) + "]"},
		"a notification":                    {"", `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		"a notification of a later one":     {"2026-07-28", `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		"an answer":                         {"", `{"jsonrpc":"2.0","id":1,"result":{}}`},
	} {
		for range 20 {
			r, w := h.request(test.body, ""), httptest.NewRecorder()
			r.Header.Set("Mcp-Protocol-Version", test.version)
			h.ServeHTTP(w, r)
			if w.Code == http.StatusOK && !strings.Contains(test.body, "discover") {
				t.Fatalf("%s: %d %s", name, w.Code, w.Body)
			}
		}
	}
	eventually(t, "nothing is left", func() bool { return runtime.NumGoroutine() < before+20 })
}

// A server may never answer the call of a client that has disconnected.
func TestASessionEndsThoughACallIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, gateway.Options{IdleTime: time.Hour})
		ended := make(chan struct{})
		h.handleCalls(func(ctx context.Context, _ router.Call) (*router.Answer, error) {
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})
		session := h.serveDirect(t, initialize("2025-11-25", "a", `{}`), "").header.Get("Mcp-Session-Id")
		ctx, disconnect := context.WithCancel(t.Context())
		request := h.request(call("1"), session).WithContext(ctx)
		go h.ServeHTTP(httptest.NewRecorder(), request)
		time.Sleep(3 * time.Hour)
		select {
		case <-ended:
			t.Error("it ended while the client waited")
		default:
		}
		disconnect()
		time.Sleep(2 * time.Hour)
		<-ended
	})
}

// hookedContext calls hook when the SDK looks at the request, before it creates a session.
type hookedContext struct {
	context.Context

	hook func()
}

func (c hookedContext) Value(key any) any {
	if key == http.LocalAddrContextKey {
		c.hook()
	}
	return c.Context.Value(key)
}

func TestASessionThatBeginsDuringStopIsEnded(t *testing.T) {
	h := newHarness(t, gateway.Options{})
	r := h.requestAt("/mcp", initialize("2025-11-25", "a", `{}`), "")
	stopped := false
	h.serve(r.WithContext(hookedContext{r.Context(), func() {
		stopped = true
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}}))
	if n := h.SDKSessions(); !stopped || n != 0 {
		t.Errorf("stopped during initialize: %t; %d sessions are left", stopped, n)
	}
}
