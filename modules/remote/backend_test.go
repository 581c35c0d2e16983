package remote_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// backend is a server without an SDK, so that its messages are not normalized. It
// answers initialize and tools/list itself and leaves the rest to handle.
type backend struct {
	documents bool   // responses are JSON texts, not streams
	tools     string // the array of tools/list
	list      func(params string) string
	// handle, if set, handles every other message.
	handle func(x exchange)
	// initialize, if set, answers initialize.
	initialize func(x exchange)
	// intercept, if set, sees each request of HTTP first, and reports whether it has handled it.
	intercept func(w http.ResponseWriter, r *http.Request, body string) bool

	*httptest.Server
	events  chan string  // of the server's own stream
	streams atomic.Int32 // that relay events
	mu      sync.Mutex
	seen    []*http.Request
	bodies  []string
}

// exchange is one message to the server.
type exchange struct {
	line, id string
	message  *wire.Message
	send     func(format string, args ...any) // sends a message in the stream of the response
	w        http.ResponseWriter
	r        *http.Request
}

// transports are the transports of a backend.
var transports = map[string]struct {
	transport servers.Transport
	documents bool
}{
	"sse":                            {transport: servers.SSE},
	"streamable HTTP with streams":   {transport: servers.HTTP},
	"streamable HTTP with documents": {transport: servers.HTTP, documents: true},
}

// start serves b until the test ends.
func (b *backend) start(t *testing.T) *backend {
	t.Helper()
	b.makeEvents()
	b.Server = httptest.NewServer(b)
	t.Cleanup(func() {
		b.CloseClientConnections()
		b.Close()
	})
	return b
}

func (b *backend) makeEvents() { b.events = make(chan string, 1000) }

// url returns the address for a transport.
func (b *backend) url(transport servers.Transport) string {
	if transport == servers.SSE {
		return b.URL + "/sse"
	}
	return b.URL + "/mcp"
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	b.seen, b.bodies = append(b.seen, r), append(b.bodies, string(text))
	b.mu.Unlock()
	if b.intercept != nil && b.intercept(w, r, string(text)) {
		return
	}
	switch r.Method {
	case http.MethodGet:
		b.stream(w, r)
	case http.MethodDelete:
	default:
		b.post(w, r, string(text))
	}
}

func (b *backend) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.URL.Path == "/sse" {
		fmt.Fprint(w, "event: endpoint\ndata: /message?id=1\n\n")
	}
	w.(http.Flusher).Flush()
	b.relay(w, r)
}

func (b *backend) relay(w http.ResponseWriter, r *http.Request) {
	b.streams.Add(1)
	defer b.streams.Add(-1)
	for {
		select {
		case <-r.Context().Done():
			return
		case text := <-b.events:
			if text == "" {
				return
			}
			writeEvent(w, text)
		}
	}
}

// writeEvent writes an event, with a line of data for each line of the text.
func writeEvent(w http.ResponseWriter, text string) {
	fmt.Fprintf(w, "data: %s\r\n\r\n", strings.ReplaceAll(text, "\n", "\r\ndata: "))
	w.(http.Flusher).Flush()
}

func (b *backend) post(w http.ResponseWriter, r *http.Request, text string) {
	m := new(wire.Message)
	if err := new(wire.Scanner).Scan([]byte(text), m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	x := exchange{line: text, id: string(m.ID.Of(m.Line)), message: m, w: w, r: r}
	sse := r.URL.Path == "/message"
	switch {
	case sse || m.Kind != wire.Request:
		x.send = func(format string, args ...any) { b.events <- fmt.Sprintf(format, args...) }
		if sse {
			defer w.WriteHeader(http.StatusAccepted)
		} else {
			w.WriteHeader(http.StatusAccepted)
		}
	case b.documents:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		x.send = func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		x.send = func(format string, args ...any) { writeEvent(w, fmt.Sprintf(format, args...)) }
	}
	b.answer(x)
}

func (b *backend) answer(x exchange) {
	switch {
	case x.message.MethodIs("initialize") && b.initialize != nil:
		b.initialize(x)
	case x.message.MethodIs("initialize"):
		x.w.Header().Set("Mcp-Session-Id", "the-session")
		x.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"future":[]},"serverInfo":{"name":"raw","version":"1"}}}`, x.id)
	case x.message.MethodIs("tools/list") && b.list != nil:
		x.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, x.id, b.list(string(x.message.Params.Of(x.message.Line))))
	case x.message.MethodIs("tools/list"):
		x.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}`, x.id, orDefault(b.tools, "[]"))
	case x.message.MethodIs("notifications/initialized"):
	case b.handle != nil:
		b.handle(x)
	}
}

func orDefault(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// awaitStreamsEnd waits until no stream is left that would take the events of the next session.
func (b *backend) awaitStreamsEnd(t *testing.T) {
	t.Helper()
	eventually(t, "the streams have ended", func() bool { return b.streams.Load() == 0 })
}

// received returns the bodies so far that contain a text.
func (b *backend) received(text string) (bodies []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, body := range b.bodies {
		if strings.Contains(body, text) {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

// requests returns the requests so far with that method.
func (b *backend) requests(method string) (requests []*http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.seen {
		if r.Method == method {
			requests = append(requests, r)
		}
	}
	return requests
}
