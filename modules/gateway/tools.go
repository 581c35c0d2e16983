package gateway

import (
	"bytes"
	"encoding/json"
	"time"

	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// listTools answers tools/list, in one page.
func (g *Gateway) listTools(s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	if problem := m.CheckCursor(); problem != nil {
		out.respond(errorLine(id, problem))
		return
	}
	out.respond(resultLine(id, g.toolsResult(s)...)...)
}

// toolsResult returns the parts of a tools/list result: the built-in tools, then those of
// the servers. It is the only place where a client's list is made.
func (g *Gateway) toolsResult(s *session) [][]byte {
	tools := g.tools.Snapshot().View(s.naming).ToolsJSON()
	separator := []byte(",")
	if len(tools) == len("[]") {
		separator = nil
	}
	return [][]byte{[]byte(`{"tools":[`), builtinTools, separator, tools[1:], []byte(`}`)}
}

// resolveTool resolves the name in a tools/call: to a built-in tool, or to what the
// router looks up. It is the only place where a name that a client calls is resolved.
func (g *Gateway) resolveTool(s *session, name string) (builtin builtinTool, query router.Query) {
	switch name {
	case listServers:
		return g.listServers, query
	case serverStatus:
		return g.serverStatus, query
	}
	return nil, router.Query{Name: name, Naming: s.naming}
}

// builtinTools are the definitions of the built-in tools.
var builtinTools = []byte(`{"name":"list_servers","title":"List servers",` +
	`"description":"Lists the MCP servers that this aggregator has registered, with their status and number of tools. ` +
	`The tools of a server are called server.tool.",` +
	`"inputSchema":{"type":"object","properties":{},"additionalProperties":false},` +
	`"annotations":{"readOnlyHint":true,"openWorldHint":false}},` +
	`{"name":"server_status","title":"Status of a server",` +
	`"description":"Returns the status of one registered MCP server: whether it is connected, since when, and why not.",` +
	`"inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The server's name, as list_servers gives it."}},` +
	`"required":["name"],"additionalProperties":false},` +
	`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)

// The names of the built-in tools.
const (
	listServers  = "list_servers"
	serverStatus = "server_status"
)

// builtinTool returns the result of a call of a built-in tool.
type builtinTool func(m *wire.Message) (result []byte)

// serverSummary is a server in the results of built-in tools.
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
		return toolError("there is no server " + name + "; list_servers lists them")
	}
	return toolResult(summaryOf(s))
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
