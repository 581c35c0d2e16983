package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/servers"
)

// toolBody is a tool in a list.
type toolBody struct {
	Name         string          `json:"name" doc:"What it is called here: server.tool." example:"github.create_issue"`
	OriginalName string          `json:"original_name" doc:"What its server calls it." example:"create_issue"`
	Description  string          `json:"description" example:"Creates an issue"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty" doc:"The JSON Schema of its arguments, as the server wrote it; left out if it has none."`
	Available    bool            `json:"available" doc:"Whether it can be called: whether its server is CONNECTED or DEGRADED."`
}

// storedToolBody is a tool with its definition and its server.
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

func (a *API) listTools(r *request) (reply, error) {
	asked, err := availabilityParam(r.URL.Query())
	if err != nil {
		return reply{}, err
	}
	only, given, err := singleParam(r.URL.Query(), "server")
	if err != nil {
		return reply{}, err
	}
	list, err := a.lists.load(r.Context())
	if err != nil {
		return reply{}, err
	}
	var groups [][]byte
	total, found := 0, !given
	for _, s := range a.deps.Servers.Servers() {
		if given && s.ID != only && s.Name != only {
			continue
		}
		found = true
		tools := list.byServer[s.ID]
		if tools == nil || !asked.matches(s.Status.Live()) {
			continue
		}
		if len(groups) > 0 {
			groups = append(groups, []byte{','})
		}
		parts, n := toolGroup(s, tools)
		groups = append(groups, parts...)
		total += n
	}
	if !found {
		return reply{}, servers.ErrUnknown
	}
	head := fmt.Appendf(nil, `{"total":%d,"servers":[`, total)
	return reply{status: http.StatusOK, parts: slices.Concat([][]byte{head}, groups, [][]byte{[]byte("]}")})}, nil
}

// toolGroup returns a groupBody in parts, and its total.
func toolGroup(s servers.Server, tools *renderedTools) (parts [][]byte, total int) {
	available := s.Status.Live()
	if available {
		total = tools.count
	}
	head := marshal(struct {
		ServerID string         `json:"server_id"`
		Server   string         `json:"server"`
		Status   servers.Status `json:"status"`
		Total    int            `json:"total"`
	}{s.ID, s.Name, s.Status, total})
	head = append(bytes.TrimSuffix(head, []byte("}")), `,"tools":`...)
	return [][]byte{head, tools.textFor(available), []byte("}")}, total
}

// toolView returns a toolBody.
func toolView(t *servers.Tool, available bool) []byte {
	view, _ := appendTool(nil, t, available)
	return view
}

func (a *API) getTool(r *request) (reply, error) {
	name := r.PathValue("name")
	tools, err := a.deps.Tools.Tools(r.Context())
	if err != nil {
		return reply{}, err
	}
	for i := range tools {
		if tools[i].Namespaced != name {
			continue
		}
		s, err := a.deps.Servers.Server(tools[i].Server)
		if err != nil { // it was removed concurrently
			break
		}
		return reply{status: http.StatusOK, body: storedToolView(&tools[i], s)}, nil
	}
	return reply{}, a.deps.Tools.Unknown(name, tools)
}

// storedToolView returns a storedToolBody.
func storedToolView(t *servers.Tool, s servers.Server) []byte {
	view := toolView(t, s.Status.Live())
	view = appendMember(view, "server_id", marshal(s.ID))
	view = appendMember(view, "server", marshal(s.Name))
	view = appendMember(view, "status", marshal(s.Status))
	return appendMember(view, "definition", t.Definition)
}

// Tools lists and calls the tools of all servers.
type Tools interface {
	// Tools returns all stored tools, ordered by server and then as each server lists
	// them. A tool can be called if the Status of its server is live.
	Tools(ctx context.Context) ([]servers.Tool, error)
	// Version changes whenever the result of Tools may change.
	Version() uint64
	// Unknown returns the error for a name that none of these tools has.
	Unknown(name string, among []servers.Tool) error
	// Call returns the errors of package servers, such as [servers.UnknownToolError].
	Call(ctx context.Context, c Call) (Answer, error)
}

const toolsPath = prefix + "/tools"

func (a *API) toolEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: toolsPath, id: "listTools", summary: "List the tools",
			description: "Grouped by server. A tool is available if its server is CONNECTED or DEGRADED. The totals count available tools only.",
			params:      []*huma.Param{availableDoc(), serverDoc()}, status: http.StatusOK, result: groupsBody{},
			codes: []code{unknownServer}, handle: a.listTools,
		},
		{
			method: http.MethodGet, path: toolsPath + "/{name}", pattern: toolsPath + "/{name...}", id: "getTool",
			summary: "Show a tool", description: "Whether it is available or not, with its definition as its server wrote it.",
			params: []*huma.Param{nameDoc()}, status: http.StatusOK, result: storedToolBody{},
			codes: []code{unknownTool}, handle: a.getTool,
		},
	}
}

func nameDoc() *huma.Param {
	return pathParam("name", "The name of the tool, server.tool, percent-encoded.", &huma.Schema{Type: "string"}, "github.create_issue")
}

func availableDoc() *huma.Param {
	return queryParam("available", "Which tools: available ones, those that are not, or all.",
		&huma.Schema{Type: "string", Enum: []any{"true", "false", "all"}, Default: "true"}, "all")
}

func serverDoc() *huma.Param {
	return queryParam("server", "Only the tools of the server with this id or name.", &huma.Schema{Type: "string"}, "github")
}

// availabilityFilter selects tools by whether they are available.
type availabilityFilter struct{ available, unavailable bool }

func (w availabilityFilter) matches(available bool) bool {
	return available && w.available || !available && w.unavailable
}

func availabilityParam(query url.Values) (availabilityFilter, error) {
	text, given, err := singleParam(query, "available")
	switch {
	case err != nil:
		return availabilityFilter{}, err
	case !given || text == "true":
		return availabilityFilter{available: true}, nil
	case text == "false":
		return availabilityFilter{unavailable: true}, nil
	case text == "all":
		return availabilityFilter{available: true, unavailable: true}, nil
	default:
		return availabilityFilter{}, paramError("available", "is unknown: use true, false or all")
	}
}
