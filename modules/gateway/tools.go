package gateway

import (
	"bytes"
	"encoding/json"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// list answers tools/list from the snapshot, in one page: the service's own tools
// first.
func (g *Gateway) list(s *session, m *wire.Message, out responder) {
	id := m.ID.Of(m.Line)
	if problem := m.BadCursor(); problem != nil {
		out.answer(failure(id, problem))
		return
	}
	tools := g.tools.Snapshot().View(s.naming).ToolsJSON()
	between := []byte(",")
	if len(tools) == len("[]") {
		between = nil
	}
	out.answer([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":{"tools":[`), ownTools,
		between, tools[1:], []byte(`}}`))
}

// ownTools are the definitions of the service's own tools.
var ownTools = []byte(`{"name":"list_servers","title":"List servers",` +
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

// own returns what answers a call of one of the service's own tools; nil if it is none.
func (g *Gateway) own(tool string) func(m *wire.Message) []byte {
	switch tool {
	case listServers:
		return g.listServers
	case serverStatus:
		return g.serverStatus
	}
	return nil
}

// serverShown is a server as the own tools show it.
type serverShown struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Transport   servers.Transport `json:"transport_type"`
	Status      servers.Status    `json:"status"`
	Tools       int               `json:"tool_count"`
	Error       string            `json:"error_message,omitempty"`
	Registered  time.Time         `json:"registered_at"`
	Connected   time.Time         `json:"connected_at,omitzero"`
}

func shown(s servers.Server) serverShown {
	return serverShown{
		Name: s.Name, Description: s.Description, Transport: s.Transport, Status: s.Status,
		Tools: s.ToolCount, Error: s.Error, Registered: s.RegisteredAt, Connected: s.ConnectedAt,
	}
}

func (g *Gateway) listServers(*wire.Message) []byte {
	list := []serverShown{}
	for _, s := range g.registry.Servers() {
		list = append(list, shown(s))
	}
	return result(struct {
		Servers []serverShown `json:"servers"`
	}{list})
}

func (g *Gateway) serverStatus(m *wire.Message) []byte {
	name, ok := wire.Unquote(m.Param("arguments", "name").Of(m.Line))
	if !ok {
		return mistake("server_status: name must be a string")
	}
	s, err := g.registry.Named(name)
	if err != nil {
		return mistake("no server is called " + name + "; list_servers lists them")
	}
	return result(shown(s))
}

// result is a CallToolResult with v as its structured content, and as text for clients
// that do not know that (2025-11-25, server/tools#structured-content).
func result(v any) []byte {
	text, err := marshal(v)
	if err != nil {
		return mistake(err.Error())
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

// mistake is the result of a call with unfit arguments.
func mistake(text string) []byte {
	out := append([]byte(`{"content":[{"type":"text","text":`), wire.AppendQuoted(nil, text)...)
	return append(out, `}],"isError":true}`...)
}
