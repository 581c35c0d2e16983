package testutil

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"mcp-aggregator/modules/wire"
)

// Remote is a raw server over HTTP whose messages are not normalized. It responds to
// initialize and tools/list, and leaves every other request to a function.
type Remote struct {
	SSE  string // URL for HTTP+SSE (MCP 2024-11-05)
	HTTP string // URL for streamable HTTP

	tools  string
	answer func(line, id string) string
	server *httptest.Server

	mu          sync.Mutex
	events      map[http.ResponseWriter]chan string // of the open streams
	unavailable bool
}

// NewRemote starts a server with the tools of the raw JSON array, which runs until the
// test ends. answer returns the response to a request, "" for none.
func NewRemote(tb testing.TB, tools string, answer func(line, id string) string) *Remote {
	tb.Helper()
	r := &Remote{tools: tools, answer: answer, events: make(map[http.ResponseWriter]chan string)}
	r.server = httptest.NewServer(r)
	r.SSE, r.HTTP = r.server.URL+"/sse", r.server.URL+"/mcp"
	tb.Cleanup(func() {
		r.SetUnavailable(false)
		r.server.CloseClientConnections()
		r.server.Close()
	})
	return r
}

// SetUnavailable makes the server respond with 503 to everything, or available again. It
// closes all connections and streams.
func (r *Remote) SetUnavailable(gone bool) {
	r.mu.Lock()
	r.unavailable = gone
	for w, events := range r.events {
		close(events)
		delete(r.events, w)
	}
	r.mu.Unlock()
	r.server.CloseClientConnections()
}

// Say sends an event on all open streams.
func (r *Remote) Say(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, events := range r.events {
		events <- line
	}
}

// ServeHTTP implements http.Handler.
func (r *Remote) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	gone := r.unavailable
	r.mu.Unlock()
	switch {
	case gone:
		w.WriteHeader(http.StatusServiceUnavailable)
	case request.Method == http.MethodGet:
		r.serveStream(w, request)
	case request.Method == http.MethodPost:
		r.servePost(w, request)
	}
}

func (r *Remote) serveStream(w http.ResponseWriter, request *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	events := make(chan string, 1000)
	r.mu.Lock()
	r.events[w] = events
	r.mu.Unlock()
	if request.URL.Path == "/sse" {
		fmt.Fprint(w, "event: endpoint\ndata: /message\n\n")
	}
	flush(w)
	for {
		select {
		case <-request.Context().Done():
			return
		case line, open := <-events:
			if !open {
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", line)
			flush(w)
		}
	}
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

func (r *Remote) servePost(w http.ResponseWriter, request *http.Request) {
	text, err := io.ReadAll(request.Body)
	var m wire.Message
	if err != nil || new(wire.Scanner).Scan(text, &m) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	id := string(m.ID.Of(m.Line))
	answer := ""
	switch {
	case m.MethodIs("initialize"):
		w.Header().Set("Mcp-Session-Id", "one")
		answer = `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"raw","version":"1"}}}`
	case m.MethodIs("tools/list"):
		answer = `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":` + r.tools + `}}`
	case m.Kind == wire.Request:
		answer = r.answer(string(text), id)
	}
	switch {
	case request.URL.Path == "/message" && answer != "":
		r.Say(answer)
		fallthrough
	case answer == "":
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, strings.NewReader(answer)) // the client may be gone
	}
}
