package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// endpoint is one operation: what is done, and what the document says of it.
type endpoint struct {
	method, path string
	pattern      string // of the mux, if it is not path
	id, tag      string
	summary      string
	text         string
	public       bool // needs no token
	params       []*huma.Param
	takes        any // a value of the body's type; nil: there is none
	takesExample any
	status       int
	gives        any    // a value of the response's type, or a *huma.Schema; nil: no body
	kind         string // the response's Content-Type; plainJSON if empty
	fails        []code
	handle       func(*http.Request) (reply, error)
}

// The tags of the document.
const (
	serversTag = "Servers"
	toolsTag   = "Tools"
	healthTag  = "Service"
)

func (a *API) endpoints() []endpoint {
	return append(append(a.recordEndpoints(), a.connectionEndpoints()...),
		append(a.toolEndpoints(), a.serviceEndpoints()...)...)
}

// bodyFails is how any request with a body can fail, beside what everybody's can.
var bodyFails = []code{invalidJSON, bodyTooLarge, bodyLate, noRoom, wrongMediaType}

func (a *API) recordEndpoints() []endpoint {
	const one = recordsPath + "/{id}"
	return []endpoint{
		{
			method: http.MethodPost, path: recordsPath, id: "registerServer", tag: serversTag,
			summary: "Register a server",
			text: "Answers at once, without waiting for the connection: the status of the new server is CONNECTING, " +
				"or DISCONNECTED with auto_connect false. Everything that is wrong with the body is listed at once.",
			takes: draftBody{}, takesExample: draftExample(), status: http.StatusCreated, gives: serverBody{},
			fails: append([]code{nameTaken}, bodyFails...), handle: a.registerServer,
		},
		{
			method: http.MethodGet, path: recordsPath, id: "listServers", tag: serversTag,
			summary: "List the servers", text: "All of them, or those with one of the given statuses.",
			params: []*huma.Param{statusParam()}, status: http.StatusOK, gives: serversBody{},
			handle: a.listServers,
		},
		{
			method: http.MethodGet, path: one, id: "getServer", tag: serversTag, summary: "Show a server",
			text:   "Secrets in connection_config are shown as [redacted].",
			params: []*huma.Param{idParam()}, status: http.StatusOK, gives: serverBody{},
			fails: []code{unknownServer}, handle: a.getServer,
		},
		{
			method: http.MethodPatch, path: one, id: "changeServer", tag: serversTag, summary: "Change a server",
			text: "What is left out stays. connection_config is replaced as a whole; a secret that it was shown as " +
				"[redacted] may be sent back so, and is kept: by name in env and headers, behind the same flag in args, " +
				"and in a URL that is otherwise unchanged. A new name renames the server's tools at once.",
			params: []*huma.Param{idParam()}, takes: changeBody{}, takesExample: map[string]any{"name": "github-2"},
			status: http.StatusOK, gives: serverBody{},
			fails: append([]code{unknownServer, nameTaken}, bodyFails...), handle: a.changeServer,
		},
		{
			method: http.MethodDelete, path: one, id: "removeServer", tag: serversTag, summary: "Remove a server",
			text:   "Closes its session and removes its tools and its history.",
			params: []*huma.Param{idParam()}, status: http.StatusNoContent,
			fails: []code{unknownServer}, handle: a.removeServer,
		},
	}
}

func (a *API) connectionEndpoints() []endpoint {
	const one = recordsPath + "/{id}"
	return []endpoint{
		{
			method: http.MethodPost, path: one + "/connect", id: "connectServer", tag: serversTag, summary: "Connect a server",
			text:   "Waits for no connection; see the server's status for what comes of it. DISCONNECTED means that another replica runs the server. It stays wanted when the service starts anew.",
			params: []*huma.Param{idParam()}, status: http.StatusOK, gives: connectingBody{},
			fails: []code{unknownServer}, handle: a.connectServer,
		},
		{
			method: http.MethodPost, path: one + "/disconnect", id: "disconnectServer", tag: serversTag,
			summary: "Disconnect a server",
			text:    "Answers when the open calls have ended, or after 30 s. It stays disconnected when the service starts anew.",
			params:  []*huma.Param{idParam()}, status: http.StatusOK, gives: disconnectedBody{},
			fails: []code{unknownServer}, handle: a.disconnectServer,
		},
		{
			method: http.MethodGet, path: one + "/history", id: "getHistory", tag: serversTag,
			summary: "Show what has happened to a connection", text: "The newest events first.",
			params: []*huma.Param{idParam(), limitParam()}, status: http.StatusOK, gives: historyBody{},
			fails: []code{unknownServer}, handle: a.history,
		},
	}
}

func (a *API) toolEndpoints() []endpoint {
	const tools = prefix + "/tools"
	return []endpoint{
		{
			method: http.MethodGet, path: tools, id: "listTools", tag: toolsTag, summary: "List the tools",
			text:   "Grouped by server. A tool is available if its server is CONNECTED or DEGRADED. The totals count available tools only.",
			params: []*huma.Param{availableParam(), serverParam()}, status: http.StatusOK, gives: groupsBody{},
			fails: []code{unknownServer}, handle: a.listTools,
		},
		{
			method: http.MethodGet, path: tools + "/{name}", pattern: tools + "/{name...}", id: "getTool", tag: toolsTag,
			summary: "Show a tool", text: "Whether it is available or not, with its definition as its server wrote it.",
			params: []*huma.Param{nameParam()}, status: http.StatusOK, gives: storedToolBody{},
			fails: []code{unknownTool}, handle: a.getTool,
		},
		{
			method: http.MethodPost, path: tools + "/call", id: "callTool", tag: toolsTag, summary: "Call a tool",
			text: "The arguments and the result pass unchanged, as raw JSON: number literals, order and repetition of members, " +
				"escapes, members that nobody knows yet. To the members of the result, in their order, one is added as the " +
				"last: metadata. If the result has a member of that name, that stays, and what the service has to say is " +
				"called aggregator_metadata; if it has that, too, aggregator_aggregator_metadata, and so on. Nothing else is " +
				"added: isError is there if the server sent it, and is false otherwise (MCP 2025-11-25, server/tools). " +
				"A call to a server that is CONNECTING waits for it up to 10 s.",
			takes: callBody{}, takesExample: callExample(), status: http.StatusOK, gives: resultSchema(a.schemas),
			fails:  append([]code{unknownTool, unknownServer, ambiguousTool, serverError, outcomeUnknown, invalidResult, unavailable, stopping, timedOut}, bodyFails...),
			handle: a.callTool,
		},
	}
}

func (a *API) serviceEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/healthz", id: "getHealth", tag: healthTag, summary: "Tell that the service runs",
			text: "Needs no token.", public: true, status: http.StatusOK, gives: stateBody{}, handle: a.health,
		},
		{
			method: http.MethodGet, path: "/readyz", id: "getReadiness", tag: healthTag, summary: "Tell whether the service can do its work",
			text: "Needs no token.", public: true, status: http.StatusOK, gives: stateBody{},
			fails: []code{notReady}, handle: a.ready,
		},
	}
}

func (a *API) health(*http.Request) (reply, error) { return ok(stateBody{Status: "ok"}), nil }

func (a *API) ready(r *http.Request) (reply, error) {
	if err := a.readiness.Ready(r.Context()); err != nil {
		a.log.Warn("the service is not ready", "error", err)
		return reply{}, newProblem(notReady, notYet).asError()
	}
	return ok(stateBody{Status: "ready"}), nil
}
