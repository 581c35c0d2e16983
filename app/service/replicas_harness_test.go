package service_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// replicaSet is a set of replicas of the service that share a database.
type replicaSet []*running

func startReplicas(t *testing.T, programs child.Spawner) replicaSet {
	t.Helper()
	database := postgres.Database(t)
	var f replicaSet
	for range 3 {
		f = append(f, start(t, programs, at(database)))
	}
	return f
}

// all waits until the server has that status at every replica.
func (f replicaSet) all(id, status string) {
	for _, s := range f {
		s.await(id, status)
	}
}

// owner waits until a replica runs the server, and returns it and the others.
func (f replicaSet) owner(id string) (owner *running, others replicaSet) {
	f[0].until("an owner", func() bool {
		owner, others = nil, nil
		for _, s := range f {
			if s.get(id).Status == "CONNECTED" {
				owner = s
			} else {
				others = append(others, s)
			}
		}
		return owner != nil
	})
	return owner, others
}

// everywhere waits until a condition holds at every replica.
func (f replicaSet) everywhere(what string, holds func(*running) bool) {
	for _, s := range f {
		s.until(what, func() bool { return holds(s) })
	}
}

// status sends a request to every replica and returns the common status.
func (s *running) status(method, path, body string) int {
	s.t.Helper()
	status, _ := s.rest(method, path, body)
	return status
}

// childCounts counts the fake children of all replicas.
type childCounts struct {
	mu            sync.Mutex
	starts, alive int
	most          int // alive at one time
}

// program returns a child with a tool x, whose calls are counted.
func (c *childCounts) program() testutil.Program {
	run := testutil.SDK(func(server *mcp.Server) { addTool(server, "x", "served") })
	return func(ctx context.Context, stdio testutil.Stdio) child.Exit {
		c.count(1)
		defer c.count(-1)
		return run(ctx, stdio)
	}
}

func (c *childCounts) count(more int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alive += more
	c.starts += max(more, 0)
	c.most = max(c.most, c.alive)
}

func (c *childCounts) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%d starts, %d alive, at most %d at once", c.starts, c.alive, c.most)
}

// addTool adds a tool that returns a text.
// addTool adds a read-only tool: a call is repeated if the server closes its connection.
func addTool(server *mcp.Server, name, answer string) {
	mcp.AddTool(server, &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: answer}}}, nil, nil
	})
}

// web serves a server of the SDK with a tool, x, over streamable HTTP, for services
// that are started after it. Its connection is the raw JSON for registering it.
func web(t *testing.T, answer string) (server *mcp.Server, connection string) {
	t.Helper()
	server = mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
	addTool(server, "x", answer)
	served := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	return server, fmt.Sprintf(`{"base_url":%q}`, served.URL)
}
