package gateway

import (
	"bytes"
	"encoding/json"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// listTools answers tools/list from the snapshot, in one page: the service's own tools
// first.
func (g *Gateway) listTools(s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	if problem := m.BadCursor(); problem != nil {
		out.respond(errorLine(id, problem))
		return
	}
	tools := g.tools.Snapshot().View(s.naming).ToolsJSON()
	between := []byte(",")
	if len(tools) == len("[]") {
		between = nil
	}
	out.respond([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":{"tools":[`), builtinTools,
		between, tools[1:], []byte(`}}`))
}

// builtinTools are the definitions of the service's own tools.
var builtinTools = []byte(`{"name":"list_servers","title":"List servers",` +
	`"description":"Lists the MCP servers that this aggregator has registered, with their status and number of tools. ` +
	`The tools of a server are called server.tool.",` +
	`"inputSchema":{"type":"object","properties":{},"additionalProperties":false},` +
	`"annotations":{"readOnlyHint":true,"openWorldHint":false}},` +
	`{"name":"server_status","title":"Status of a server",` +
	`"description":"Tells how one registered MCP server is: its status, why it is not connected, when it was.",` +
	`"inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The server's name, as list_servers gives it."}},` +
	`"required":["name"],"additionalProperties":false},` +
	`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)

// The names of these tools.
const (
	listServers  = "list_servers"
	serverStatus = "server_status"
)

// builtinTool returns what answers a call of one of the service's own tools; nil if it is none.
func (g *Gateway) builtinTool(tool string) func(m *wire.Message) []byte {
	switch tool {
	case listServers:
		return g.listServers
	case serverStatus:
		return g.serverStatus
	}
	return nil
}

// serverSummary is a server as the own tools show it.
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

func summaryOf(s servers.Server) serverSummary {
	return serverSummary{
		Name: s.Name, Description: s.Description, Transport: s.Transport, Status: s.Status,
		Tools: s.ToolCount, Error: s.Error, Registered: s.RegisteredAt, Connected: s.ConnectedAt,
	}
}

func (g *Gateway) listServers(*wire.Message) []byte {
	list := []serverSummary{}
	for _, s := range g.servers.Servers() {
		list = append(list, summaryOf(s))
	}
	return toolResult(struct {
		Servers []serverSummary `json:"servers"`
	}{list})
}

func (g *Gateway) serverStatus(m *wire.Message) []byte {
	name, ok := wire.Unquote(m.Param("arguments", "name").Of(m.Line))
	if !ok {
		return toolError("server_status: name must be a string")
	}
	s, err := g.servers.Named(name)
	if err != nil {
		return toolError("no server is called " + name + "; list_servers lists them")
	}
	return toolResult(summaryOf(s))
}

// toolResult is a CallToolResult with v as its structured content, and as text for clients
// that do not know that (2025-11-25, server/tools#structured-content).
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

// toolError is the result of a call with unfit arguments.
func toolError(text string) []byte {
	out := append([]byte(`{"content":[{"type":"text","text":`), wire.AppendQuoted(nil, text)...)
	return append(out, `}],"isError":true}`...)
}
