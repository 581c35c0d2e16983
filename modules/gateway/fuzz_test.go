package gateway_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/wire"
)

// FuzzPost checks that the gateway survives any body and headers, and that each response
// is JSON-RPC.
func FuzzPost(f *testing.F) {
	for _, body := range []string{
		``, `7`, `[]`, `[7]`, `{}`, call("1"), "[" + call("1") + "," + call("1") + "]", initialize("2025-11-25", "a", `{}`),
		"[" + initialize("2025-03-26", "a", `{}`) + "]", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"server_status","arguments":{"name":"srv"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":1e999999999,"result":{}}`,
	} {
		for headers := range byte(8) {
			f.Add([]byte(body), headers)
		}
	}
	h := newHarness(f, gateway.Options{MaxMessage: 1 << 16})
	sessions := []string{"", "nobody"}
	for _, version := range []string{"2025-03-26", "2025-11-25"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, h.request(initialize(version, "claude-ai", `{}`), ""))
		sessions = append(sessions, w.Header().Get("Mcp-Session-Id"))
	}
	f.Fuzz(func(t *testing.T, body []byte, headers byte) {
		r := h.request(string(body), sessions[headers%4])
		switch headers / 4 % 4 {
		case 1:
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		case 2:
			r.Header.Set("Mcp-Protocol-Version", "2025-03-26")
		case 3:
			r.Header.Set("Content-Type", "text/plain")
		}
		ctx, cancel := context.WithTimeout(r.Context(), 5*time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r.WithContext(ctx))
		if ctx.Err() != nil {
			t.Fatalf("%q is never answered", body)
		}
		checkResponse(t, w)
		if id := w.Header().Get("Mcp-Session-Id"); id != "" && !slices.Contains(sessions, id) {
			r := h.request("", id)
			r.Method = http.MethodDelete
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	})
}

// checkResponse checks that a response is one of MCP.
func checkResponse(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code >= http.StatusInternalServerError {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	answers := events(w.Body.String())
	switch w.Header().Get("Content-Type") {
	case "text/event-stream":
	case "application/json":
		answers = []string{w.Body.String()}
	default:
		if w.Code == http.StatusOK {
			t.Fatalf("%v %s", w.Header(), w.Body)
		}
		return
	}
	for _, answer := range answers {
		var m wire.Message
		err := new(wire.Scanner).Scan([]byte(answer), &m)
		if err != nil || string(m.JSONRPC.Of(m.Line)) != `"2.0"` || m.Method.Present() || m.Result.Present() == m.Error.Present() {
			t.Fatalf("%v: %s", err, answer)
		}
		if !m.ID.Present() && m.Result.Present() { // an error may go without (MCP 2025-11-25, schema, JSONRPCErrorResponse)
			t.Fatalf("no id: %s", answer)
		}
	}
}
