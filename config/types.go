package config

// Path is the mcpServers file, as given on the command line.
type Path string

// Only holds the keys of the servers to run; empty stands for all.
type Only []string

// File is an mcpServers file as it stands, before any variable is expanded.
type File struct {
	// Path is the absolute path of the file.
	Path string
	// Servers holds the entries that could be read, in file order.
	Servers []Entry
	// Problems is what is wrong with the file, in file order. It is carried
	// along so that Expand reports it together with the missing variables.
	Problems Errors

	doc *document // where everything stands; nil in a File made by hand
}

// Entry is one server of a File. Its texts still hold their variables.
type Entry struct {
	Key      string
	Disabled bool // nothing else of a disabled entry is read
	LeftOut  bool // by Only; nothing else of it is read
	// Unsupported is set for a server of another transport, and says where it works;
	// nothing else of it is read. It is no problem of a file that has other servers.
	Unsupported *Error
	Command     string
	Args        []string
	Env         []Var
	Cwd         *string // nil if there is none
	// Remote is set in place of Unsupported by a Loader with WithRemotes.
	Remote *Remote

	at offsets
}

// runs reports whether this program is to start the server.
func (e Entry) runs() bool { return !e.Disabled && !e.LeftOut && e.Unsupported == nil }

// Remote is a server that is reached over HTTP.
type Remote struct {
	SSE     bool // the HTTP+SSE transport of MCP 2024-11-05, not streamable HTTP
	URL     string
	Headers []Var
}

// Var is one environment variable of a server.
type Var struct{ Name, Value string }

// McpConfig is an mcpServers file with everything expanded and validated.
type McpConfig struct {
	// Path is the absolute path of the file.
	Path string
	// Servers holds the servers that run, in file order.
	Servers []ServerConfig
	// LeftOut holds the keys of those that Only left out, in file order.
	LeftOut []string
}

// ServerConfig says how one child server is started.
type ServerConfig struct {
	Key     string
	Command string
	Args    []string
	// Env is what the file sets on top of the inherited environment.
	Env []Var
	// Dir is the absolute working directory; "" stands for the aggregator's own.
	Dir string
	// Secrets is what messages must redact besides what shows in the members above
	// (package redact finds that): every environment value that was put in
	// somewhere. Longest first.
	Secrets []string
}

// offsets says where the texts of an Entry begin in its file.
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
