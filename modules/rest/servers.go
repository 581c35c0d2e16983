package rest

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/servers"
)

// Servers holds the records of servers. Its methods return [servers.ErrUnknown],
// [servers.ErrNameTaken] and [servers.Problems].
type Servers interface {
	// Servers returns all records in the order of their registration.
	Servers() []servers.Server
	Server(id string) (servers.Server, error)
	// Register adds a server and does not wait for its connection.
	Register(ctx context.Context, d servers.Draft) (servers.Server, error)
	Change(ctx context.Context, id string, c servers.Change) (servers.Server, error)
	Remove(ctx context.Context, id string) error
}

const recordsPath = prefix + "/aggregator/servers"

func (a *API) serverEndpoints() []endpoint {
	const one = recordsPath + "/{id}"
	return []endpoint{
		{
			method: http.MethodPost, path: recordsPath, id: "registerServer",
			summary: "Register a server",
			description: "Answers without waiting for the connection: the status of the new server is CONNECTING, " +
				"or DISCONNECTED with auto_connect false. Everything that is wrong with the body is listed at once.",
			body: draftBody{}, bodyExample: draftExample(), status: http.StatusCreated, result: serverBody{},
			codes: append([]code{nameTaken}, bodyCodes...), handle: a.registerServer,
		},
		{
			method: http.MethodGet, path: recordsPath, id: "listServers",
			summary: "List the servers", description: "All of them, or those with one of the given statuses.",
			params: []*huma.Param{statusDoc()}, status: http.StatusOK, result: serversBody{},
			handle: a.listServers,
		},
		{
			method: http.MethodGet, path: one, id: "getServer", summary: "Show a server",
			description: "Secrets in connection_config are shown as [redacted].",
			params:      []*huma.Param{idDoc()}, status: http.StatusOK, result: serverBody{},
			codes: []code{unknownServer}, handle: a.getServer,
		},
		{
			method: http.MethodPatch, path: one, id: "changeServer", summary: "Change a server",
			description: "What is left out stays. connection_config is replaced as a whole; a secret that it was shown as " +
				"[redacted] may be sent back so, and is kept: by name in env and headers, behind the same flag in args, " +
				"and in a URL that is otherwise unchanged. A new name renames the server's tools at once.",
			params: []*huma.Param{idDoc()}, body: changeBody{}, bodyExample: map[string]any{"name": "github-2"},
			status: http.StatusOK, result: serverBody{},
			codes: append([]code{unknownServer, nameTaken}, bodyCodes...), handle: a.changeServer,
		},
		{
			method: http.MethodDelete, path: one, id: "removeServer", summary: "Remove a server",
			description: "Closes its session and removes its tools and its history.",
			params:      []*huma.Param{idDoc()}, status: http.StatusNoContent,
			codes: []code{unknownServer}, handle: a.removeServer,
		},
	}
}

func (a *API) listServers(r *request) (reply, error) {
	asked, err := statusesOf(r.URL.Query())
	if err != nil {
		return reply{}, err
	}
	view := serversBody{Servers: []serverBody{}}
	for _, s := range a.deps.Servers.Servers() {
		if asked == nil || asked[s.Status] {
			view.Servers = append(view.Servers, serverView(s))
		}
	}
	view.Total = len(view.Servers)
	return okReply(view), nil
}

func (a *API) registerServer(r *request) (reply, error) {
	body, err := readBody(r.Request, maxRecordBytes)
	if err != nil {
		return reply{}, err
	}
	in := readServerRequest(r.schemas, body, r.schema)
	draft := in.toDraft()
	if err := in.validationError(draft.Transport, draft.Validate()); err != nil {
		return reply{}, err
	}
	s, err := a.deps.Servers.Register(r.Context(), draft)
	if err != nil {
		return reply{}, err
	}
	made := reply{status: http.StatusCreated, location: recordsPath + "/" + url.PathEscape(s.ID), body: marshal(serverView(s))}
	return made, nil
}

func (a *API) getServer(r *request) (reply, error) {
	s, err := a.deps.Servers.Server(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	return okReply(serverView(s)), nil
}

func (a *API) changeServer(r *request) (reply, error) {
	body, err := readBody(r.Request, maxRecordBytes)
	if err != nil {
		return reply{}, err
	}
	current, err := a.deps.Servers.Server(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	in := readServerRequest(r.schemas, body, r.schema)
	change := in.toChange(current)
	transport := valueOr(change.Transport, current.Transport)
	if err := in.validationError(transport, change.Validate(current)); err != nil {
		return reply{}, err
	}
	s, err := a.deps.Servers.Change(r.Context(), current.ID, change)
	if err != nil {
		return reply{}, err
	}
	return okReply(serverView(s)), nil
}

func (a *API) removeServer(r *request) (reply, error) {
	if err := a.deps.Servers.Remove(r.Context(), r.PathValue("id")); err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent}, nil
}

func statusDoc() *huma.Param {
	status := &huma.Schema{Type: "string", Enum: []any{"CONNECTING", "CONNECTED", "DEGRADED", "DISCONNECTED", "ERROR"}}
	return queryParam("status", "Only servers with this status; several are given between commas, or repeatedly.",
		&huma.Schema{Type: "array", Items: status}, []any{"CONNECTED", "DEGRADED"})
}

func idDoc() *huma.Param {
	return pathParam("id", "The id of the server.", &huma.Schema{Type: "string"}, "4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10")
}

// statusesOf returns the parameter status, or nil for all statuses.
func statusesOf(query url.Values) (map[servers.Status]bool, error) {
	var asked map[servers.Status]bool
	for _, list := range query["status"] {
		for text := range strings.SplitSeq(list, ",") {
			switch s := servers.Status(text); s {
			case servers.Connecting, servers.Connected, servers.Degraded, servers.Disconnected, servers.Errored:
				if asked == nil {
					asked = map[servers.Status]bool{}
				}
				asked[s] = true
			default:
				return nil, paramError("status", "is unknown: use CONNECTING, CONNECTED, DEGRADED, DISCONNECTED or ERROR")
			}
		}
	}
	return asked, nil
}
