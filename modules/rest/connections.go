package rest

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/servers"
)

// Connections connects and disconnects servers. Its methods return [servers.ErrUnknown].
type Connections interface {
	// Connect starts connecting the server and does not wait for it. It returns
	// Disconnected if another replica runs the server; the record then says so.
	Connect(ctx context.Context, id string) (servers.Status, error)
	// Disconnect waits, for a bounded time, for pending calls, and returns how many were
	// cut off.
	Disconnect(ctx context.Context, id string) (pending int, err error)
	// History returns the newest events, newest first, at most limit of them.
	History(ctx context.Context, id string, limit int) ([]servers.Event, error)
}

// connectingBody is the response to connect.
type connectingBody struct {
	Status  string `json:"status" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED" example:"CONNECTING"`
	Message string `json:"message" example:"Connection initiated"`
}

// disconnectedBody is the response to disconnect.
type disconnectedBody struct {
	Status          string `json:"status" enum:"DISCONNECTED" example:"DISCONNECTED"`
	PendingRequests int    `json:"pending_requests" doc:"How many calls were still pending and were cut off." example:"0"`
}

// historyBody is the history of a connection.
type historyBody struct {
	ServerID string      `json:"server_id" format:"uuid" example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
	Events   []eventBody `json:"events" nullable:"false" doc:"Newest first."`
	Total    int         `json:"total" doc:"How many they are." example:"1"`
}

// eventBody is one event of a history.
type eventBody struct {
	Event   string    `json:"event" enum:"CONNECTED,DISCONNECTED,ERROR,RECONNECT" doc:"RECONNECT is a CONNECTED after a loss." example:"CONNECTED"`
	Details string    `json:"details" doc:"For users; may be empty."`
	At      time.Time `json:"at" doc:"UTC." example:"2026-01-31T08:30:02Z"`
}

func (a *API) connectionEndpoints() []endpoint {
	const one = recordsPath + "/{id}"
	return []endpoint{
		{
			method: http.MethodPost, path: one + "/connect", id: "connectServer", summary: "Connect a server",
			description: "Does not wait for the connection; see the server's status. DISCONNECTED means that another replica runs the server. The server is also connected when the service restarts.",
			params:      []*huma.Param{idDoc()}, status: http.StatusOK, result: connectingBody{},
			codes: []code{unknownServer}, handle: a.connectServer,
		},
		{
			method: http.MethodPost, path: one + "/disconnect", id: "disconnectServer",
			summary:     "Disconnect a server",
			description: "Answers when the pending calls have ended, or after 30 s. The server stays disconnected when the service restarts.",
			params:      []*huma.Param{idDoc()}, status: http.StatusOK, result: disconnectedBody{},
			codes: []code{unknownServer}, handle: a.disconnectServer,
		},
		{
			method: http.MethodGet, path: one + "/history", id: "getHistory",
			summary: "Show the history of a connection", description: "The newest events first.",
			params: []*huma.Param{idDoc(), limitDoc()}, status: http.StatusOK, result: historyBody{},
			codes: []code{unknownServer}, handle: a.getHistory,
		},
	}
}

func (a *API) connectServer(r *request) (reply, error) {
	s, err := a.deps.Servers.Server(r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	// Connect also sets the desired state of a server that is connected now.
	status, err := a.deps.Connections.Connect(r.Context(), s.ID)
	switch {
	case err != nil:
		return reply{}, err
	case s.Status.Live():
		return okReply(connectingBody{Status: string(s.Status), Message: "Already connected"}), nil
	case status == servers.Disconnected:
		s, err = a.deps.Servers.Server(s.ID)
		return okReply(connectingBody{Status: string(status), Message: s.Error}), err
	}
	return okReply(connectingBody{Status: string(servers.Connecting), Message: "Connection initiated"}), nil
}

func (a *API) disconnectServer(r *request) (reply, error) {
	pending, err := a.deps.Connections.Disconnect(r.Context(), r.PathValue("id"))
	if err != nil {
		return reply{}, err
	}
	return okReply(disconnectedBody{Status: string(servers.Disconnected), PendingRequests: pending}), nil
}

func (a *API) getHistory(r *request) (reply, error) {
	most, err := limitOf(r.URL.Query())
	if err != nil {
		return reply{}, err
	}
	id := r.PathValue("id")
	if _, err := a.deps.Servers.Server(id); err != nil {
		return reply{}, err
	}
	events, err := a.deps.Connections.History(r.Context(), id, most)
	if err != nil {
		return reply{}, err
	}
	return okReply(historyView(id, events)), nil
}

func historyView(id string, events []servers.Event) historyBody {
	view := historyBody{ServerID: id, Events: []eventBody{}, Total: len(events)}
	for _, e := range events {
		view.Events = append(view.Events, eventBody{Event: string(e.Kind), Details: e.Details, At: e.At.UTC()})
	}
	return view
}

func limitDoc() *huma.Param {
	least, most := float64(1), float64(maxEvents)
	return queryParam("limit", "How many events at most.",
		&huma.Schema{Type: "integer", Minimum: &least, Maximum: &most, Default: defaultEvents}, defaultEvents)
}

// The default and the maximum number of events in a response.
const (
	defaultEvents = 100
	maxEvents     = 1000
)

// limitOf returns the parameter limit.
func limitOf(query url.Values) (int, error) {
	text, given, err := singleParam(query, "limit")
	if err != nil || !given {
		return defaultEvents, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxEvents {
		return 0, paramError("limit", "must be a number from 1 to "+strconv.Itoa(maxEvents))
	}
	return n, nil
}
