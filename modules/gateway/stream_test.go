package gateway_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/router"
)

func TestACallThatTakesLongIsKeptAliveByComments(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{KeepAlive: time.Millisecond})
	c := h.connect(t)
	commented := make(chan struct{})
	h.handleCalls(func(context.Context, router.Call) (*router.Answer, error) {
		<-commented
		return answerOf(`{"jsonrpc":"2.0","id":0,"result":{}}`), nil
	})
	stream := c.stream(t, http.MethodPost, call("7"))
	for range 2 {
		if line, err := stream.lines.ReadString('\n'); line != ":\n" || err != nil {
			t.Errorf("%q %v", line, err)
		}
		_, _ = stream.lines.ReadString('\n')
	}
	close(commented)
	if got := stream.nextEvent(t); got != `{"jsonrpc":"2.0","id":7,"result":{}}` {
		t.Error(got)
	}
	if rest, err := io.ReadAll(stream.lines); strings.TrimSpace(string(rest)) != "" || err != nil {
		t.Errorf("%q %v", rest, err)
	}
}

// A batch without requests has no response, so nothing needs a keep-alive.
func TestABatchWithoutRequestsStartsNoKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, gateway.Options{})
		session := h.serveDirect(t, initialize("2025-03-26", "a", `{}`), "").header.Get("Mcp-Session-Id")
		for body, want := range map[string]int{
			`[]`: http.StatusBadRequest,
			`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`: http.StatusAccepted,
			`[{"jsonrpc":"2.0","id":9,"result":{}}]`:                   http.StatusAccepted,
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, h.request(body, session))
			before := w.Body.Len()
			time.Sleep(time.Hour / 2) // virtual
			synctest.Wait()
			if w.Code != want || w.Body.Len() != before {
				t.Errorf("%s: %d, and later %q", body, w.Code, w.Body)
			}
		}
	})
}
