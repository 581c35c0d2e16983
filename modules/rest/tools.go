package rest

import (
	"bytes"
	"encoding/json"
	"net/http"

	"mcp-aggregator/modules/servers"
)

// toolBody is a tool as it is listed.
type toolBody struct {
	Name         string          `json:"name" doc:"What it is called here: server.tool." example:"github.create_issue"`
	OriginalName string          `json:"original_name" doc:"What its server calls it." example:"create_issue"`
	Description  string          `json:"description" example:"Creates an issue"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty" doc:"The JSON Schema of its arguments, as the server wrote it; left out if it has none."`
	Available    bool            `json:"available" doc:"Whether it can be called: whether its server is CONNECTED or DEGRADED."`
}

// storedToolBody is one tool with all that its server says of it.
type storedToolBody struct {
	Name         string          `json:"name" doc:"What it is called here: server.tool." example:"github.create_issue"`
	OriginalName string          `json:"original_name" doc:"What its server calls it." example:"create_issue"`
	Description  string          `json:"description" example:"Creates an issue"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty" doc:"The JSON Schema of its arguments, as the server wrote it; left out if it has none."`
	Available    bool            `json:"available" doc:"Whether it can be called: whether its server is CONNECTED or DEGRADED."`

	ServerID   string          `json:"server_id" format:"uuid" example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
	Server     string          `json:"server" doc:"The name of its server." example:"github"`
	Status     string          `json:"status" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED,ERROR" doc:"The status of its server." example:"CONNECTED"`
	Definition json.RawMessage `json:"definition" doc:"The tool as its server wrote it, with all members."`
}

// groupBody is the tools of one server.
type groupBody struct {
	ServerID string     `json:"server_id" format:"uuid" example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
	Server   string     `json:"server" doc:"The name of the server." example:"github"`
	Status   string     `json:"status" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED,ERROR" example:"CONNECTED"`
	Total    int        `json:"total" doc:"How many of the tools are available." example:"1"`
	Tools    []toolBody `json:"tools" nullable:"false" doc:"In the server's own order."`
}

// groupsBody is the tools of all servers.
type groupsBody struct {
	Servers []groupBody `json:"servers" nullable:"false" doc:"The servers that have tools to list, in the order of their registration."`
	Total   int         `json:"total" doc:"How many of the tools are available: the sum of the servers' totals." example:"1"`
}

func (a *API) listTools(r *http.Request) (reply, error) {
	asked, err := availability(r.URL.Query())
	if err != nil {
		return reply{}, err
	}
	only, given, err := single(r.URL.Query(), "server")
	if err != nil {
		return reply{}, err
	}
	tools, err := a.tools.Tools(r.Context())
	if err != nil {
		return reply{}, err
	}
	var groups [][]byte
	total, found := 0, !given
	for _, s := range a.servers.Servers() {
		if given && s.ID != only && s.Name != only {
			continue
		}
		found = true
		if group, n := groupOf(s, tools, asked); group != nil {
			groups = append(groups, group)
			total += n
		}
	}
	if !found {
		return reply{}, servers.ErrUnknown
	}
	body := marshal(struct {
		Total int `json:"total"`
	}{total})
	return reply{status: http.StatusOK, body: appendMember(body, "servers", array(groups))}, nil
}

// groupOf returns a groupBody, nil if it would be empty, and its total.
func groupOf(s servers.Server, tools []servers.Tool, asked wanted) (group []byte, total int) {
	available := s.Status.Live()
	if !asked.has(available) {
		return nil, 0
	}
	var listed [][]byte
	for i := range tools {
		if tools[i].Server == s.ID {
			listed = append(listed, toolView(&tools[i], available))
		}
	}
	if listed == nil {
		return nil, 0
	}
	if available {
		total = len(listed)
	}
	head := marshal(struct {
		ServerID string         `json:"server_id"`
		Server   string         `json:"server"`
		Status   servers.Status `json:"status"`
		Total    int            `json:"total"`
	}{s.ID, s.Name, s.Status, total})
	return appendMember(head, "tools", array(listed)), total
}

// toolView returns a toolBody, its schema as it is stored.
func toolView(t *servers.Tool, available bool) []byte {
	view := marshal(toolBody{Name: t.Namespaced, OriginalName: t.Name, Description: t.Description, Available: available})
	if t.InputSchema != nil {
		view = appendMember(view, "input_schema", t.InputSchema)
	}
	return view
}

// array returns the JSON array of raw elements.
func array(elements [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}

func (a *API) getTool(r *http.Request) (reply, error) {
	name := r.PathValue("name")
	tools, err := a.tools.Tools(r.Context())
	if err != nil {
		return reply{}, err
	}
	for i := range tools {
		if tools[i].Namespaced != name {
			continue
		}
		s, err := a.servers.Server(tools[i].Server)
		if err != nil { // it was removed just now
			break
		}
		return reply{status: http.StatusOK, body: storedToolView(&tools[i], s)}, nil
	}
	return reply{}, &servers.UnknownToolError{Name: name}
}

// storedToolView returns a storedToolBody.
func storedToolView(t *servers.Tool, s servers.Server) []byte {
	view := toolView(t, s.Status.Live())
	view = appendMember(view, "server_id", marshal(s.ID))
	view = appendMember(view, "server", marshal(s.Name))
	view = appendMember(view, "status", marshal(s.Status))
	return appendMember(view, "definition", t.Definition)
}
