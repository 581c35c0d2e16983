package service_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/testutil"
)

// restarting is a server of the SDK over SSE and HTTP that stops and restarts, and then
// knows none of its sessions.
type restarting struct {
	t       *testing.T
	address string
	now     *httptest.Server
	server  *mcp.Server
}

func (r *restarting) come() {
	r.t.Helper()
	listener, err := new(net.ListenConfig).Listen(r.t.Context(), "tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	r.address = listener.Addr().String()
	server := mcp.NewServer(&mcp.Implementation{Name: "restarting", Version: "1"}, nil)
	addTool(server, "x", "served")
	get := func(*http.Request) *mcp.Server { return server }
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(get, nil))
	mux.Handle("/sse", mcp.NewSSEHandler(get, nil))
	r.now = &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	r.now.Start()
	r.server = server
}

func (r *restarting) leave() {
	r.now.CloseClientConnections()
	r.now.Close()
	for session := range r.server.Sessions() {
		_ = session.Close() // there is nobody who could hear of it
	}
}

func TestCallsWaitForAServerThatIsAway(t *testing.T) {
	t.Parallel()
	for transport, connection := range map[string]string{"SSE": `{"url":"ADDRESS/sse"}`, "HTTP": `{"base_url":"ADDRESS/mcp"}`} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			r := &restarting{t: t, address: "127.0.0.1:0"}
			r.come()
			t.Cleanup(func() { r.leave() })
			s := start(t, testutil.Spawner{})
			id := s.register("a", transport, strings.Replace(connection, "ADDRESS", "http://"+r.address, 1)).ID
			s.await(id, "CONNECTED")
			r.leave()
			answered := make(chan int, 1)
			go func() { answered <- s.status(http.MethodPost, "/tools/call", `{"name":"a.x","arguments":{}}`) }()
			s.await(id, "CONNECTING")
			r.come()
			if status := <-answered; status != http.StatusOK {
				t.Errorf("it is answered with %d", status)
			}
			s.recorded(id, "CONNECTED", "DISCONNECTED", "RECONNECT")
		})
	}
}
