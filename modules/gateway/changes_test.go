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

func TestSeveralChangesCauseOneListChanged(t *testing.T) {
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

// watcher reads a GET stream, without an HTTP server.
type watcher struct {
	pipe *io.PipeReader
	read chan string
	done chan struct{}
}

// pipeWriter is a response that can be read while it is written.
type pipeWriter struct {
	*io.PipeWriter

	header http.Header
}

func (w pipeWriter) Header() http.Header { return w.header }
func (pipeWriter) WriteHeader(int)       {}
func (pipeWriter) Flush()                {}

func (h *harness) watch(session string) *watcher { return h.watchAt(gateway.Path, session) }

func (h *harness) watchAt(path, session string) *watcher {
	r, w := io.Pipe()
	v := &watcher{r, make(chan string, 1000), make(chan struct{})}
	request := h.requestAt(path, "", session)
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

// takeOutput returns what was read since the last call.
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

func TestAChangeIsSentToAClientThatOpensItsStreamLater(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{Coalesce: time.Millisecond})
	c := h.connect(t)
	h.tools.ReplaceTools("srv", definitions())
	stream := c.stream(t, http.MethodGet, "")
	if got := stream.nextEvent(t); got != listChanged {
		t.Error(got)
	}
}

func TestASessionHasOneGetStream(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c, other := h.connect(t), h.connect(t)
	first := c.stream(t, http.MethodGet, "")
	if got := c.do(t, http.MethodGet, ""); got.status != http.StatusConflict {
		t.Errorf("%+v", got)
	}
	other.stream(t, http.MethodGet, "")
	_ = first.response.Body.Close()
	eventually(t, "there is room for another", func() bool {
		response := c.send(t, http.MethodGet, "")
		t.Cleanup(func() { _ = response.Body.Close() })
		return response.StatusCode == http.StatusOK
	})
}

func TestTheGetStreamEnds(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *harness, *testClient){
		"on CloseStreams":  func(_ *testing.T, h *harness, _ *testClient) { h.CloseStreams(); h.CloseStreams() },
		"on Stop":          func(t *testing.T, h *harness, _ *testClient) { t.Helper(); _ = h.Stop(t.Context()) },
		"with its session": func(t *testing.T, _ *harness, v *testClient) { t.Helper(); v.do(t, http.MethodDelete, "") },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHTTPHarness(t, gateway.Options{})
			c := h.connect(t)
			stream := c.stream(t, http.MethodGet, "")
			end(t, h, c)
			if got := stream.nextEvent(t); got != "" {
				t.Error(got)
			}
		})
	}
}

func TestCallsContinueAfterCloseStreams(t *testing.T) {
	h := newHTTPHarness(t, gateway.Options{})
	c := h.connect(t)
	h.CloseStreams()
	if got := c.post(t, call("1")); got.body != `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}` {
		t.Errorf("%+v", got)
	}
}
