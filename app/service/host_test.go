package service_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// host is a client of the SDK that responds to requests and counts them.
type host struct {
	*mcp.ClientSession

	t       *testing.T
	asked   atomic.Int32
	changed chan struct{}
}

// attach opens a session of the SDK's client with that name, which has capabilities only
// if able is set.
func attach(t *testing.T, transport mcp.Transport, name string, able bool) *host {
	t.Helper()
	h := &host{t: t, changed: make(chan struct{}, 1)}
	session, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, h.options(able)).
		Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	h.ClientSession = session
	t.Cleanup(func() { _ = session.Close() }) // the server may have gone first
	return h
}

// host is a client of the service's /mcp.
func (s *running) host(name string, able bool) *host {
	s.t.Helper()
	return s.hostAt("/mcp", name, able)
}

// hostAt is a client of another endpoint.
func (s *running) hostAt(path, name string, able bool) *host {
	s.t.Helper()
	return attach(s.t, &mcp.StreamableClientTransport{Endpoint: s.url + path}, name, able)
}

// directly returns a client of the server itself, with the clientInfo and capabilities
// that the service declares.
func (b backend) directly(t *testing.T) *host {
	t.Helper()
	switch {
	case b.direct != nil:
		return attach(t, &mcp.CommandTransport{Command: b.direct}, "direct", true)
	case b.transport == "SSE":
		return attach(t, &mcp.SSEClientTransport{Endpoint: b.url}, "direct", true)
	default:
		return attach(t, &mcp.StreamableClientTransport{Endpoint: b.url}, "direct", true)
	}
}

//nolint:staticcheck // sampling is deprecated in 2026-07-28, not in the revisions spoken here
func (h *host) options(able bool) *mcp.ClientOptions {
	o := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case h.changed <- struct{}{}:
			default: // it has not looked yet
			}
		},
	}
	if !able {
		return o
	}
	o.Capabilities.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	o.ElicitationHandler = func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		h.asked.Add(1)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "random": "Ada"}}, nil
	}
	o.CreateMessageHandler = func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		h.asked.Add(1)
		return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "sampled"}}, nil
	}
	return o
}

// ownTools are the tools of the service itself.
var ownTools = []string{"list_servers", "server_status"}

// names returns the names of all tools but the service's own, sorted.
func (h *host) names() []string {
	h.t.Helper()
	names := []string{}
	for tool, err := range h.Tools(h.t.Context(), nil) {
		if err != nil {
			h.t.Fatal(err)
		}
		if !slices.Contains(ownTools, tool.Name) {
			names = append(names, tool.Name)
		}
	}
	slices.Sort(names)
	return names
}

// call calls a tool.
func (h *host) call(name, arguments string) (*mcp.CallToolResult, error) {
	return h.CallTool(h.t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
}

// result returns the text of a tool's result.
func (h *host) result(name, arguments string) string {
	h.t.Helper()
	result, err := h.call(name, arguments)
	if err != nil {
		h.t.Fatalf("%s: %v", name, err)
	}
	return plain(h.t, result)
}

// sees waits for notifications until the list has tools of the server, or none.
func (h *host) sees(server string, there bool) {
	h.t.Helper()
	has := func() bool {
		return slices.ContainsFunc(h.names(), func(name string) bool { return strings.HasPrefix(name, server+".") })
	}
	for has() != there {
		select {
		case <-h.changed:
		case <-h.t.Context().Done():
			h.t.Fatalf("the tools of %s: waited in vain", server)
		}
	}
}
