package rest

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"mcp-aggregator/modules/servers"
)

func draftExample() any {
	return map[string]any{
		"name": "github", "description": "Issues and pull requests", "transport_type": "STDIO",
		"connection_config": map[string]any{
			"command": "npx", "args": []string{"-y", "@modelcontextprotocol/server-github"},
			"env": map[string]string{"GITHUB_TOKEN": "${GITHUB_TOKEN}"}, //nolint:gosec // a reference, no secret
		},
	}
}

// connectionBody is a connection_config.
type connectionBody struct {
	Command string            `json:"command,omitempty" doc:"STDIO: the program to run, a path or a name to be found in PATH." example:"npx"`
	Args    []string          `json:"args,omitempty" nullable:"false" doc:"STDIO: its arguments. What follows flags like --token is shown as [redacted]." example:"[\"-y\",\"@modelcontextprotocol/server-github\"]"`
	Env     map[string]string `json:"env,omitempty" doc:"STDIO: environment variables, on top of what every child inherits. Values that are not made of references only are shown as [redacted]." example:"{\"GITHUB_TOKEN\":\"${GITHUB_TOKEN}\"}"`
	Cwd     string            `json:"cwd,omitempty" doc:"STDIO: the directory to run it in, an absolute path; the service's own by default." example:"/srv/data"`
	URL     string            `json:"url,omitempty" doc:"SSE: the address of the stream. HTTP: the same as base_url. http or https, without a user; the values of parameters that are called like secrets are shown as [redacted]." example:"https://example.com/sse"`
	BaseURL string            `json:"base_url,omitempty" doc:"HTTP: the address of the endpoint." example:"https://example.com/mcp"`
	Headers map[string]string `json:"headers,omitempty" doc:"SSE and HTTP: headers of every request. Values that are not made of references only, perhaps behind Bearer, are shown as [redacted]." example:"{\"Authorization\":\"Bearer ${TOKEN}\"}"`
}

// draftBody is a server to register.
type draftBody struct {
	Name             string         `json:"name" pattern:"^[A-Za-z0-9_-]+$" minLength:"1" maxLength:"64" doc:"Unique. Its tools are called name.tool." example:"github"`
	Description      string         `json:"description,omitempty" maxLength:"4096" doc:"For users." example:"Issues and pull requests"`
	TransportType    string         `json:"transport_type" enum:"STDIO,SSE,HTTP" doc:"How the server is reached: a child process, HTTP with server-sent events, or streamable HTTP." example:"STDIO"`
	ConnectionConfig connectionBody `json:"connection_config" doc:"What fits the transport: command, args, env and cwd, or url (base_url) and headers. Texts may hold references, ${NAME}, which are expanded from the environment of the service whenever the server is connected."`
	AutoConnect      bool           `json:"auto_connect,omitempty" default:"true" doc:"Whether it is connected now and whenever the service starts."`
	HealthCheckURL   string         `json:"health_check_url,omitempty" doc:"An HTTP URL that reports the health of the server; empty for none." example:"https://example.com/health"`
}

// changeBody is a change of a server. Members that are left out stay as they are.
type changeBody struct {
	Name             *string         `json:"name,omitempty" pattern:"^[A-Za-z0-9_-]+$" minLength:"1" maxLength:"64" doc:"Unique. The names of its tools follow at once." example:"github"`
	Description      *string         `json:"description,omitempty" maxLength:"4096" doc:"For users." example:"Issues and pull requests"`
	TransportType    *string         `json:"transport_type,omitempty" enum:"STDIO,SSE,HTTP" doc:"How the server is reached. Send the connection_config that fits it, too." example:"STDIO"`
	ConnectionConfig *connectionBody `json:"connection_config,omitempty" doc:"Replaces the old one as a whole. Where it holds [redacted], as it was shown, the stored secret is kept."`
	AutoConnect      *bool           `json:"auto_connect,omitempty" doc:"Whether it is connected whenever the service starts. Where it becomes true, the server is connected now, too."`
	HealthCheckURL   *string         `json:"health_check_url,omitempty" doc:"An HTTP URL that reports the health of the server; empty for none." example:"https://example.com/health"`
}

// serverRequest is a decoded body of a draft or a change, with the result of checking it
// against its schema.
type serverRequest struct {
	changeBody
	shape *bodyShape
	// unreadable reports that the body could not be decoded. Then only its shape is
	// checked.
	unreadable bool
}

// readServerRequest decodes a body. It leaves out members of a wrong type, which the shape
// reports.
func readServerRequest(schemas huma.Registry, body []byte, schema *huma.Schema) serverRequest {
	in := serverRequest{shape: checkShape(schemas, body, schema)}
	in.unreadable = !decodeMembers(body, &in.changeBody)
	return in
}

// toDraft returns the server to register.
func (in serverRequest) toDraft() servers.Draft {
	return servers.Draft{
		Name:           valueOr(in.Name, ""),
		Description:    valueOr(in.Description, ""),
		Transport:      servers.Transport(valueOr(in.TransportType, "")),
		Connection:     valueOr(in.ConnectionConfig, connectionBody{}).toConnection(),
		AutoConnect:    valueOr(in.AutoConnect, true),
		HealthCheckURL: valueOr(in.HealthCheckURL, ""),
	}
}

// toChange returns the change of current, with redacted secrets restored.
func (in serverRequest) toChange(current servers.Server) servers.Change {
	c := servers.Change{Name: in.Name, Description: in.Description, AutoConnect: in.AutoConnect}
	if in.TransportType != nil {
		c.Transport = new(servers.Transport(*in.TransportType))
	}
	if in.ConnectionConfig != nil {
		c.Connection = new(in.ConnectionConfig.toConnection().Restore(current.Connection))
	}
	if in.HealthCheckURL != nil {
		c.HealthCheckURL = new(servers.RestoreURL(*in.HealthCheckURL, current.HealthCheckURL))
	}
	return c
}

// validationError returns the error for an invalid body, or nil.
func (in serverRequest) validationError(transport servers.Transport, problems servers.Problems) error {
	if in.unreadable {
		problems = nil
	}
	faults := in.shape.mergeProblems(in.renameURLProblems(transport, problems))
	if len(faults) == 0 {
		return nil
	}
	return newInvalid(faults).asError()
}

// renameURLProblems refers problems of the URL to the name that the body uses for it, and
// adds those of using the names url and base_url wrongly.
func (in serverRequest) renameURLProblems(transport servers.Transport, problems servers.Problems) servers.Problems {
	const prefix, url, baseURL = "/connection_config/", "url", "base_url"
	c := valueOr(in.ConnectionConfig, connectionBody{})
	if c.BaseURL != "" || transport == servers.HTTP && c.URL == "" {
		for i := range problems {
			if problems[i].Pointer == prefix+url {
				problems[i].Pointer = prefix + baseURL
			}
		}
	}
	switch {
	case c.BaseURL == "":
	case c.URL != "":
		problems = append(problems, servers.Problem{Pointer: prefix + baseURL, Message: "is there together with url: leave one out"})
	case transport == servers.SSE:
		problems = append(problems, servers.Problem{Pointer: prefix + baseURL, Message: "is not for SSE: call it url"})
	}
	return problems
}

func (c connectionBody) toConnection() servers.Connection {
	url := c.URL
	if url == "" {
		url = c.BaseURL
	}
	return servers.Connection{Command: c.Command, Args: c.Args, Env: c.Env, Cwd: c.Cwd, URL: url, Headers: c.Headers}
}

func valueOr[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// serverBody is a server as it is shown.
type serverBody struct {
	ID               string         `json:"id" format:"uuid" example:"4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"`
	Name             string         `json:"name" doc:"Its tools are called name.tool." example:"github"`
	Description      string         `json:"description" example:"Issues and pull requests"`
	TransportType    string         `json:"transport_type" enum:"STDIO,SSE,HTTP" example:"STDIO"`
	ConnectionConfig connectionBody `json:"connection_config" doc:"Without secrets: they are shown as [redacted]."`
	AutoConnect      bool           `json:"auto_connect" doc:"Whether it is connected whenever the service starts."`
	HealthCheckURL   string         `json:"health_check_url" doc:"Empty for none."`
	Status           string         `json:"status" enum:"CONNECTING,CONNECTED,DEGRADED,DISCONNECTED,ERROR" doc:"CONNECTING: calls wait for it. CONNECTED and DEGRADED: it can be called; DEGRADED is incomplete: its tools may be out of date, for example. DISCONNECTED: it is not to be connected. ERROR: it is not connected although it is to be." example:"CONNECTED"`
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
		LastHealthCheck:  optionalTime(s.LastHealthCheck),
		RegisteredAt:     s.RegisteredAt.UTC(),
		ConnectedAt:      optionalTime(s.ConnectedAt),
		UpdatedAt:        s.UpdatedAt.UTC(),
	}
}

// connectionView returns the connection, with the URL under the name that its transport
// uses.
func connectionView(s servers.Server) connectionBody {
	c := s.Connection.Redact()
	view := connectionBody{Command: c.Command, Args: c.Args, Env: c.Env, Cwd: c.Cwd, URL: c.URL, Headers: c.Headers}
	if s.Transport == servers.HTTP {
		view.URL, view.BaseURL = "", c.URL
	}
	return view
}

// optionalTime returns nil for the zero time.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}
