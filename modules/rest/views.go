package rest

import (
	"time"

	"mcp-aggregator/modules/servers"
)

// serverBody is a server as it is shown.
type serverBody struct {
	ID               string         `json:"id" format:"uuid" example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
	Name             string         `json:"name" doc:"Its tools are called name.tool." example:"github"`
	Description      string         `json:"description" example:"Issues and pull requests"`
	TransportType    string         `json:"transport_type" enum:"STDIO,SSE,HTTP" example:"STDIO"`
	ConnectionConfig connectionBody `json:"connection_config" doc:"Without secrets: they are shown as [redacted]."`
	AutoConnect      bool           `json:"auto_connect" doc:"Whether it is connected whenever the service starts."`
	HealthCheckURL   string         `json:"health_check_url" doc:"Empty for none."`
	Status           string         `json:"status" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED,ERROR" doc:"CONNECTING: calls wait for it. CONNECTED and DEGRADED: it can be called; DEGRADED lacks something, such as its tools as they are now. DISCONNECTED: nobody wants it connected. ERROR: it is not connected although it should be." example:"CONNECTED"`
	ToolCount        int            `json:"tool_count" doc:"How many tools of it can be called: 0 unless it is connected." example:"26"`
	ErrorMessage     string         `json:"error_message" doc:"Why the status is ERROR or DEGRADED, or why it is being connected again; may be empty."`
	LastHealthCheck  *time.Time     `json:"last_health_check" doc:"UTC; null: never."`
	RegisteredAt     time.Time      `json:"registered_at" doc:"UTC." example:"2026-01-31T08:30:00Z"`
	ConnectedAt      *time.Time     `json:"connected_at" doc:"The last time it was, UTC; null: never."`
	UpdatedAt        time.Time      `json:"updated_at" doc:"When anything of this was changed, UTC." example:"2026-01-31T08:30:02Z"`
}

// serversBody is a list of servers.
type serversBody struct {
	Servers []serverBody `json:"servers" nullable:"false" doc:"In the order of their registration."`
	Total   int          `json:"total" doc:"How many they are." example:"1"`
}

// connectingBody is the answer to connect.
type connectingBody struct {
	Status  string `json:"status" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED" example:"CONNECTING"`
	Message string `json:"message" example:"Connection initiated"`
}

// disconnectedBody is the answer to disconnect.
type disconnectedBody struct {
	Status          string `json:"status" enum:"DISCONNECTED" example:"DISCONNECTED"`
	PendingRequests int    `json:"pending_requests" doc:"How many calls were still open and were given up." example:"0"`
}

// historyBody is what has happened to a connection.
type historyBody struct {
	ServerID string      `json:"server_id" format:"uuid" example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
	Events   []eventBody `json:"events" nullable:"false" doc:"Newest first."`
	Total    int         `json:"total" doc:"How many they are." example:"1"`
}

// eventBody is one thing that has happened.
type eventBody struct {
	Event   string    `json:"event" enum:"CONNECTED,DISCONNECTED,ERROR,RECONNECT" doc:"RECONNECT is a CONNECTED after a loss." example:"CONNECTED"`
	Details string    `json:"details" doc:"For people; may be empty."`
	At      time.Time `json:"at" doc:"UTC." example:"2026-01-31T08:30:02Z"`
}

// stateBody is how the service is.
type stateBody struct {
	Status string `json:"status" example:"ok"`
}

func serverView(s servers.Server) serverBody {
	return serverBody{
		ID: s.ID, Name: s.Name, Description: s.Description,
		TransportType:    string(s.Transport),
		ConnectionConfig: connectionView(s),
		AutoConnect:      s.AutoConnect,
		HealthCheckURL:   servers.RedactURL(s.HealthCheckURL),
		Status:           string(s.Status),
		ToolCount:        s.ToolCount,
		ErrorMessage:     s.Error,
		LastHealthCheck:  moment(s.LastHealthCheck),
		RegisteredAt:     s.RegisteredAt.UTC(),
		ConnectedAt:      moment(s.ConnectedAt),
		UpdatedAt:        s.UpdatedAt.UTC(),
	}
}

// connectionView calls the URL what its transport calls it.
func connectionView(s servers.Server) connectionBody {
	c := s.Connection.Redact()
	view := connectionBody{Command: c.Command, Args: c.Args, Env: c.Env, Cwd: c.Cwd, URL: c.URL, Headers: c.Headers}
	if s.Transport == servers.HTTP {
		view.URL, view.BaseURL = "", c.URL
	}
	return view
}

// moment returns nil for never.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

func historyView(id string, events []servers.Event) historyBody {
	view := historyBody{ServerID: id, Events: []eventBody{}, Total: len(events)}
	for _, e := range events {
		view.Events = append(view.Events, eventBody{Event: string(e.Kind), Details: e.Details, At: e.At.UTC()})
	}
	return view
}
