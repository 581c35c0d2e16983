package servers

import (
	"maps"
	"reflect"
	"slices"
	"time"
)

// Transport is how a server is reached.
type Transport string

// The transports: a child process, HTTP with server-sent events (MCP 2024-11-05,
// basic/transports), and streamable HTTP (MCP 2025-11-25, basic/transports).
const (
	Stdio Transport = "STDIO"
	SSE   Transport = "SSE"
	HTTP  Transport = "HTTP"
)

// Status is the state of a server's connection.
type Status string

// The statuses. Calls to a Connecting server wait for it. A Degraded server is connected
// but incomplete: its tools may be out of date, for example. An Errored server is not
// connected although it is wanted, and is retried.
const (
	Connecting   Status = "CONNECTING"
	Connected    Status = "CONNECTED"
	Degraded     Status = "DEGRADED"
	Disconnected Status = "DISCONNECTED"
	Errored      Status = "ERROR"
)

// Live reports whether calls can be made.
func (s Status) Live() bool { return s == Connected || s == Degraded }

// Server is the record of one external server.
type Server struct {
	ID          string // a UUID
	Name        string // matches [A-Za-z0-9_-]+; unique
	Description string
	Transport   Transport
	Connection  Connection
	// AutoConnect reports whether the server is connected when the service starts.
	AutoConnect bool
	// Wanted is the desired state: the server is to be connected. It is AutoConnect at
	// first, and is stored.
	Wanted         bool
	HealthCheckURL string // may be empty

	Status          Status
	ToolCount       int
	Error           string    // why it is Errored or Degraded; else empty
	LastHealthCheck time.Time // zero for never
	RegisteredAt    time.Time
	ConnectedAt     time.Time // the last time; zero for never
	UpdatedAt       time.Time // of the record, its status included
}

// Connection is the connection_config of a server as it was registered, with its variable
// references, ${NAME}, not expanded.
type Connection struct {
	Command string            `json:"command,omitempty"` // Stdio
	Args    []string          `json:"args,omitempty"`    // Stdio
	Env     map[string]string `json:"env,omitempty"`     // Stdio; on top of what children inherit
	Cwd     string            `json:"cwd,omitempty"`     // Stdio; absolute, empty for the service's own
	URL     string            `json:"url,omitempty"`     // SSE and HTTP
	Headers map[string]string `json:"headers,omitempty"` // SSE and HTTP
}

// Tool is one tool of a server as it is stored.
type Tool struct {
	Server      string // the ID of its server
	Name        string // the server's own name for it
	Namespaced  string // server.tool
	Description string
	InputSchema []byte // raw JSON; nil if it has none
	Definition  []byte // raw JSON, as the server wrote it
	Classified  bool   // whether its skills have been assigned
}

// EventKind is the kind of an Event.
type EventKind string

// The kinds of events. EventReconnected is an EventConnected after a lost connection.
const (
	EventConnected    EventKind = "CONNECTED"
	EventDisconnected EventKind = "DISCONNECTED"
	EventError        EventKind = "ERROR"
	EventReconnected  EventKind = "RECONNECT"
)

// Event is one entry in the history of a server's connection.
type Event struct {
	Server  string // the ID of its server
	Kind    EventKind
	Details string
	At      time.Time
}

func (s Server) equal(other Server) bool {
	if !s.SameTarget(other) {
		return false
	}
	s.Connection = other.Connection
	return reflect.DeepEqual(s, other)
}

// SameTarget reports whether a session with s is also one with other.
func (s Server) SameTarget(other Server) bool {
	return s.Transport == other.Transport && s.Connection.equal(other.Connection)
}

// equal treats empty as absent: stores do not distinguish them.
func (c Connection) equal(other Connection) bool {
	return c.Command == other.Command && c.Cwd == other.Cwd && c.URL == other.URL &&
		slices.Equal(c.Args, other.Args) && maps.Equal(c.Env, other.Env) && maps.Equal(c.Headers, other.Headers)
}
