package config

// Path is the path of the mcpServers file, as given on the command line.
type Path string

// Only has the keys of the servers to run; empty means all.
type Only []string

// File is an mcpServers file before any variable is expanded.
type File struct {
	// Path is the absolute path of the file.
	Path string
	// Servers has the entries that could be parsed, in file order.
	Servers []Entry
	// Problems has the problems of the file, in file order. Expand reports them
	// together with the missing variables.
	Problems Errors

	doc *document // for the positions of problems; nil in a File made by hand
}

// Entry is one server of a File. Its texts contain unexpanded references.
type Entry struct {
	Key      string
	Disabled bool // then only Key is set
	LeftOut  bool // by Only; then only Key is set
	// Unsupported is set for a server with another transport, and says what to do
	// with it; otherwise only Key is set then. It is a problem of the file only if it
	// has no other servers.
	Unsupported *Error
	Command     string
	Args        []string
	Env         []Var
	Cwd         *string // nil if there is none
	// Remote is set instead of Unsupported by a Loader with WithRemotes.
	Remote *Remote

	at offsets
}

// runs reports whether this program starts the server.
func (e Entry) runs() bool { return !e.Disabled && !e.LeftOut && e.Unsupported == nil }

// Remote is a server that is reached over HTTP.
type Remote struct {
	SSE     bool // the HTTP+SSE transport of MCP 2024-11-05, not streamable HTTP
	URL     string
	Headers []Var
}

// Var is a name and a value: an environment variable or an HTTP header.
type Var struct{ Name, Value string }

// McpConfig is an expanded and validated mcpServers file.
type McpConfig struct {
	// Path is the absolute path of the file.
	Path string
	// Servers has the servers that run, in file order.
	Servers []ServerConfig
	// LeftOut has the keys of the servers that Only left out, in file order.
	LeftOut []string
}

// ServerConfig says how to start one child server.
type ServerConfig struct {
	Key     string
	Command string
	Args    []string
	// Env has the variables that the file adds to the inherited environment.
	Env []Var
	// Dir is the absolute working directory; "" means that of the aggregator.
	Dir string
	// Secrets has the values of the environment that were substituted, longest first.
	// Messages must redact them, together with the secrets that package redact finds
	// in the fields above.
	Secrets []string
}

// offsets has the offsets of the texts of an Entry in its file.
type offsets struct {
	command, cwd int
	args, env    []int
}

func offset(offsets []int, i int) int {
	if i < len(offsets) {
		return offsets[i]
	}
	return 0
}
