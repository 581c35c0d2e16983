package gateway_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/gateway"
)

// testClient is an MCP client that sends exactly what the test gives it.
type testClient struct {
	h      *harness
	header http.Header
	path   string // of the endpoint
}

// clientWithoutSession returns a client without a session.
func (h *harness) clientWithoutSession() *testClient {
	return &testClient{h: h, path: gateway.Path, header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
	}}
}

// connectAs returns a client with a session. Client is its clientInfo.name, capabilities
// a raw object.
func (h *harness) connectAs(t *testing.T, version, client, capabilities string) *testClient {
	t.Helper()
	return h.clientWithoutSession().connectAs(t, version, client, capabilities)
}

// at returns a client of another endpoint, without a session.
func (h *harness) at(path string) *testClient {
	c := h.clientWithoutSession()
	c.path = path
	return c
}

// connectAs opens the client's session.
func (v *testClient) connectAs(t *testing.T, version, client, capabilities string) *testClient {
	t.Helper()
	got := v.post(t, initialize(version, client, capabilities))
	id := got.header.Get("Mcp-Session-Id")
	if got.status != http.StatusOK || id == "" {
		t.Fatalf("initialize: %+v", got)
	}
	v.header.Set("Mcp-Session-Id", id)
	v.header.Set("Mcp-Protocol-Version", version)
	if got := v.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); got.status != http.StatusAccepted {
		t.Fatalf("initialized: %+v", got)
	}
	return v
}

// connect returns a client with a session and without capabilities.
func (h *harness) connect(t *testing.T) *testClient {
	t.Helper()
	return h.connectAs(t, "2025-11-25", "somebody", `{}`)
}

func initialize(version, client, capabilities string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version +
		`","capabilities":` + capabilities + `,"clientInfo":{"name":"` + client + `","version":"1"}}}`
}

// withHeader returns a copy of the client with another header; "" removes it.
func (v *testClient) withHeader(name, value string) *testClient {
	header := v.header.Clone()
	if value == "" {
		header.Del(name)
	} else {
		header.Set(name, value)
	}
	return &testClient{v.h, header, v.path}
}

// reply is a response that has been read.
type reply struct {
	status int
	kind   string // Content-Type
	header http.Header
	body   string
}

// send returns the response as soon as its header has arrived.
func (v *testClient) send(t *testing.T, method, body string) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, v.h.server.URL+v.path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range v.header {
		request.Header[name] = values
		if name == "Host" {
			request.Host = values[0]
		}
	}
	response, err := v.h.server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func (v *testClient) do(t *testing.T, method, body string) reply {
	t.Helper()
	response := v.send(t, method, body)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header.Get("Content-Type"), response.Header, string(text)}
}

func (v *testClient) post(t *testing.T, body string) reply {
	t.Helper()
	return v.do(t, http.MethodPost, body)
}

// postAsync posts in another goroutine.
func (v *testClient) postAsync(t *testing.T, body string) <-chan reply {
	t.Helper()
	done := make(chan reply, 1)
	go func() { done <- v.post(t, body) }()
	return done
}

// call returns a tools/call with that raw id.
func call(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"srv.t"}}`
}

// eventStream is a response that is an event stream.
type eventStream struct {
	response *http.Response
	lines    *bufio.Reader
}

func (v *testClient) stream(t *testing.T, method, body string) *eventStream {
	t.Helper()
	response := v.send(t, method, body)
	t.Cleanup(func() { _ = response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		text, _ := io.ReadAll(response.Body)
		t.Fatalf("%d %s: %s", response.StatusCode, kind, text)
	}
	return &eventStream{response, bufio.NewReader(response.Body)}
}

// nextEvent returns the data of the next event; "" at the end of the stream.
func (f *eventStream) nextEvent(t *testing.T) string {
	t.Helper()
	got := make(chan string, 1)
	go func() { got <- f.readEvent() }()
	select {
	case data := <-got:
		return data
	case <-time.After(20 * time.Second):
		t.Fatal("no event")
		return ""
	}
}

func (f *eventStream) readEvent() string {
	for {
		line, err := f.lines.ReadString('\n')
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return strings.TrimSuffix(data, "\n")
		}
		if err != nil {
			return ""
		}
	}
}

// events returns the data of all events in a body.
func events(body string) (all []string) {
	for line := range strings.SplitSeq(body, "\n") {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, data)
		}
	}
	return all
}

// toolNames returns the names in a response to tools/list.
func toolNames(t *testing.T, body string) string {
	t.Helper()
	var answer struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var names []string
	for _, tool := range answer.Result.Tools {
		names = append(names, tool.Name)
	}
	return strings.Join(names, " ")
}
