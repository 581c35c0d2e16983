package gateway

import (
	"bytes"
	"encoding/json"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// ownTool is a tool of the service itself.
type ownTool struct {
	name       string
	definition []byte
	call       func(g *Gateway, c *scope, m *wire.Message) (result []byte)
}

// ownTools are the tools of the service itself, in list order. Endpoints have them unless
// they deny them by name.
var ownTools = []ownTool{
	{"list_servers", []byte(`{"name":"list_servers","title":"List servers",` +
		`"description":"Lists the MCP servers that this aggregator has registered, with their status and number of tools. ` +
		`The tools of a server are called server.tool.",` +
		`"inputSchema":{"type":"object","properties":{},"additionalProperties":false},` +
		`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`), (*Gateway).listServers},
	{"server_status", []byte(`{"name":"server_status","title":"Status of a server",` +
		`"description":"Returns the status of one registered MCP server: whether it is connected, since when, and why not.",` +
		`"inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The server's name, as list_servers gives it."}},` +
		`"required":["name"],"additionalProperties":false},` +
		`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`), (*Gateway).serverStatus},
}

// ownTool returns the tool of the service with that name; nil if the endpoint has none.
func (e *Endpoint) ownTool(name string) *ownTool {
	for i := range ownTools {
		if ownTools[i].name == name && !registry.Patterns(e.Filter.Deny).Match(name) {
			return &ownTools[i]
		}
	}
	return nil
}

// serverSummary is a server in the results of the service's own tools.
type serverSummary struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Transport   servers.Transport `json:"transport_type"`
	Status      servers.Status    `json:"status"`
	Tools       int               `json:"tool_count"`
	Error       string            `json:"error_message,omitempty"`
	Registered  time.Time         `json:"registered_at"`
	Connected   time.Time         `json:"connected_at,omitzero"`
}

// summaryOf returns the summary of a server, and whether the client may see it.
func (c *scope) summaryOf(s servers.Server, counts map[string]int) (serverSummary, bool) {
	tools := s.ToolCount
	if c.naming.Filtered() {
		tools = counts[s.Name]
	}
	return serverSummary{
		Name: s.Name, Description: s.Description, Transport: s.Transport, Status: s.Status,
		Tools: tools, Error: s.Error, Registered: s.RegisteredAt, Connected: s.ConnectedAt,
	}, c.shows(&s, counts[s.Name])
}

func (g *Gateway) listServers(c *scope, _ *wire.Message) []byte {
	list, counts := []serverSummary{}, c.toolCounts()
	for _, s := range g.servers.Servers() {
		if summary, shown := c.summaryOf(s, counts); shown {
			list = append(list, summary)
		}
	}
	return toolResult(struct {
		Servers []serverSummary `json:"servers"`
	}{list})
}

func (g *Gateway) serverStatus(c *scope, m *wire.Message) []byte {
	name, ok := wire.Unquote(m.Param("arguments", "name").Of(m.Line))
	if !ok {
		return toolError("server_status: name must be a string")
	}
	s, err := g.servers.Named(name)
	summary, shown := c.summaryOf(s, c.toolCounts())
	if err != nil || !shown {
		return toolError("there is no server " + name + "; list_servers lists them")
	}
	return toolResult(summary)
}

// toolResult returns a CallToolResult with v as structured content, and as text for
// clients that do not support that (2025-11-25, server/tools#structured-content).
func toolResult(v any) []byte {
	text, err := marshal(v)
	if err != nil {
		return toolError(err.Error())
	}
	out := append([]byte(`{"content":[{"type":"text","text":`), wire.AppendQuoted(nil, string(text))...)
	out = append(append(out, `}],"structuredContent":`...), text...)
	return append(out, '}')
}

func marshal(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// toolError returns a CallToolResult for invalid arguments.
func toolError(text string) []byte {
	out := append([]byte(`{"content":[{"type":"text","text":`), wire.AppendQuoted(nil, text)...)
	return append(out, `}],"isError":true}`...)
}
