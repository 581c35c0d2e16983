package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/gateway"
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

func TestClientsHearOfChangesOnceForSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, gateway.Options{Coalesce: time.Second, KeepAlive: time.Minute, IdleTime: time.Hour})
		session := h.serveDirect(t, initialize("2025-11-25", "a", `{}`), "").header.Get("Mcp-Session-Id")
		w := h.watch(session)
		for i := range 5 {
			h.tools.ReplaceTools("srv", definitions()[:i%2])
			time.Sleep(100 * time.Millisecond)
		}
		if got := w.takeOutput(); got != ":\n\n" {
			t.Errorf("before: %q", got)
		}
		time.Sleep(time.Second)
		if got := w.takeOutput(); got != "event: message\ndata: "+listChanged+"\n\n" {
			t.Errorf("after: %q", got)
		}
		time.Sleep(time.Minute)
		if got := w.takeOutput(); got != ":\n\n" {
			t.Errorf("a minute later: %q", got)
		}
		time.Sleep(3 * time.Hour)
		w.takeOutput()
		h.tools.ReplaceTools("srv", definitions())
		time.Sleep(2 * time.Second)
		if got := w.takeOutput(); got != "event: message\ndata: "+listChanged+"\n\n" {
			t.Errorf("a session that only listens has ended: %q", got)
		}
		h.CloseStreams()
		synctest.Wait()
		if !w.ended() {
			t.Error("it goes on")
		}
	})
}

// watcher reads a stream of news, without a server in front.
type watcher struct {
	pipe *io.PipeReader
	read chan string
	done chan struct{}
}

// pipeWriter is a response that is read while it is written.
type pipeWriter struct {
	*io.PipeWriter

	header http.Header
}

func (w pipeWriter) Header() http.Header { return w.header }
func (pipeWriter) WriteHeader(int)       {}
func (pipeWriter) Flush()                {}

func (h *harness) watch(session string) *watcher {
	r, w := io.Pipe()
	v := &watcher{r, make(chan string, 1000), make(chan struct{})}
	request := h.request("", session)
	request.Method = http.MethodGet
	go func() {
		defer close(v.done)
		h.ServeHTTP(pipeWriter{w, http.Header{}}, request)
		_ = w.Close()
	}()
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := r.Read(buffer)
			if err != nil {
				return
			}
			v.read <- string(buffer[:n])
		}
	}()
	return v
}

// takeOutput is what was read since the last time.
func (v *watcher) takeOutput() string {
	synctest.Wait()
	var text strings.Builder
	for len(v.read) > 0 {
		text.WriteString(<-v.read)
	}
	return text.String()
}

func (v *watcher) ended() bool {
	select {
	case <-v.done:
		return true
	default:
		return false
	}
}

func TestAChangeIsHeardByAClientThatListensLater(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{Coalesce: time.Millisecond})
	guest := h.connect(t)
	h.tools.ReplaceTools("srv", definitions())
	feed := guest.stream(t, http.MethodGet, "")
	if got := feed.nextEvent(t); got != listChanged {
		t.Error(got)
	}
}

func TestASessionHasOneStreamOfNews(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	guest, other := h.connect(t), h.connect(t)
	first := guest.stream(t, http.MethodGet, "")
	if got := guest.do(t, http.MethodGet, ""); got.status != http.StatusConflict {
		t.Errorf("%+v", got)
	}
	other.stream(t, http.MethodGet, "")
	_ = first.response.Body.Close()
	eventually(t, "there is room for another", func() bool {
		response := guest.send(t, http.MethodGet, "")
		t.Cleanup(func() { _ = response.Body.Close() })
		return response.StatusCode == http.StatusOK
	})
}

func TestTheStreamOfNewsEnds(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *harness, *testClient){
		"when no further news are wanted": func(_ *testing.T, h *harness, _ *testClient) { h.CloseStreams(); h.CloseStreams() },
		"when the service stops":          func(t *testing.T, h *harness, _ *testClient) { t.Helper(); _ = h.Stop(t.Context()) },
		"with the session":                func(t *testing.T, _ *harness, v *testClient) { t.Helper(); v.do(t, http.MethodDelete, "") },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHTTPHarness(t, gateway.Options{})
			guest := h.connect(t)
			feed := guest.stream(t, http.MethodGet, "")
			end(t, h, guest)
			if got := feed.nextEvent(t); got != "" {
				t.Error(got)
			}
		})
	}
}

func TestCallsGoOnWhenNewsEnd(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	guest := h.connect(t)
	h.CloseStreams()
	if got := guest.post(t, call("1")); got.body != `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}` {
		t.Errorf("%+v", got)
	}
}
