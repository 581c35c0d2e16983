package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/router"
)

func TestABatchIsAnsweredByOneStream(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connectAs(t, "2025-03-26", "somebody", `{}`)
	got := v.post(t, "[\n"+call("1")+`,{"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","method":"notifications/progress"},`+
		`{"jsonrpc":"1.0","id":3,"method":"ping"},7,{"jsonrpc":"2.0","id":4,"result":{}}]`)
	answers := events(got.body)
	slices.Sort(answers)
	want := []string{
		`{"jsonrpc":"2.0","id":"b","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"Invalid request: jsonrpc must be \"2.0\""}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: not a JSON-RPC message"}}`,
	}
	if got.kind != "text/event-stream" || !slices.Equal(answers, want) {
		t.Errorf("%d %s\n%s", got.status, got.kind, strings.Join(answers, "\n"))
	}
}

func TestABatchWithoutRequestsIsAccepted(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connectAs(t, "2025-03-26", "somebody", `{}`)
	got := v.post(t, `[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}]`)
	if got.status != http.StatusAccepted || got.body != "" {
		t.Errorf("%+v", got)
	}
	if got := v.post(t, `[ ]`); got.status != http.StatusBadRequest {
		t.Errorf("an empty one: %+v", got)
	}
}

func TestABatchOfARevisionWithoutBatchesIsRefused(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		h := newHTTPHarness(t, gateway.Options{})
		got := h.connectAs(t, version, "somebody", `{}`).post(t, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
		if got.status != http.StatusBadRequest {
			t.Errorf("%s: %+v", version, got)
		}
		mustContain(t, got.body, "batches are part of protocol version 2025-03-26 only")
	}
}

func TestABatchCancelsItsOwnRequest(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	v := h.connectAs(t, "2025-03-26", "somebody", `{}`)
	h.handleCalls(func(ctx context.Context, _ router.Call) (*router.Answer, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	if got := receive(t, "the response", v.postAsync(t, "["+call("1")+","+cancel+"]")); got.status != http.StatusAccepted || got.body != "" {
		t.Errorf("%+v", got)
	}
	got := receive(t, "the response", v.postAsync(t, "["+call("1")+","+call("1")+","+cancel+"]"))
	if answers := events(got.body); len(answers) != 1 || !strings.Contains(answers[0], "a request with the same id is open") {
		t.Errorf("%+v", got)
	}
}

// gatedRecorder is a response that blocks writes until its gate is opened.
type gatedRecorder struct {
	*httptest.ResponseRecorder

	gate chan struct{}
}

func (g *gatedRecorder) Write(b []byte) (int, error) {
	<-g.gate
	return g.ResponseRecorder.Write(b)
}

func TestNoAnswerOfABatchIsLostOnAClientThatReadsSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, gateway.Options{})
		session := h.serveDirect(t, initialize("2025-03-26", "somebody", `{}`), "").header.Get("Mcp-Session-Id")
		h.handleCalls(func(context.Context, router.Call) (*router.Answer, error) {
			return answerOf(`{"jsonrpc":"2.0","id":0,"result":"` + strings.Repeat("x", 9<<20) + `"}`), nil
		})
		w := &gatedRecorder{httptest.NewRecorder(), make(chan struct{})}
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.ServeHTTP(w, h.request("["+call("1")+","+call("2")+","+call("3")+","+call("4")+"]", session))
		}()
		synctest.Wait()
		close(w.gate)
		<-done
		if n := len(events(w.Body.String())); n != 4 {
			t.Errorf("%d of 4 answers", n)
		}
	})
}

// request returns a POST of a session, for a gateway without an HTTP server.
func (h *harness) request(body, session string) *http.Request {
	return h.requestAt(gateway.Path, body, session)
}

func (h *harness) requestAt(path, body, session string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "http://127.0.0.1"+path, strings.NewReader(body))
	r.Header = h.clientWithoutSession().header
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return r
}

// serveDirect posts to the gateway without an HTTP server.
func (h *harness) serveDirect(t *testing.T, body, session string) reply {
	t.Helper()
	return h.serve(h.request(body, session))
}

// serveAt posts to another endpoint.
func (h *harness) serveAt(path, body string) reply { return h.serve(h.requestAt(path, body, "")) }

func (h *harness) serve(r *http.Request) reply {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return reply{w.Code, w.Header().Get("Content-Type"), w.Header(), w.Body.String()}
}
