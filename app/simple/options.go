package simple

import "io"

// Options are the flags of mcp-simple-aggregator and the environment of its process.
type Options struct {
	Config     string   // path of the mcpServers file
	Name       string   // serverInfo.name
	Version    string   // serverInfo.version
	Separator  string   // between configuration key and tool name
	Only       []string // keys of the servers to run; all if empty
	Allow      []string // globs over canonical names; if there are any, a tool must match one
	Deny       []string // globs over canonical names; a tool must match none
	Lean       bool     // list three tools that find and call all others
	Pin        []string // globs over canonical names of tools that a lean list has, too
	InheritEnv bool     // children get the whole environment
	Debug      bool     // log info and debug messages too
	Progress   bool     // check prints a line for each server as it settles
	Quiet      bool     // do not log servers that fail, because check reports them

	Environ []string // NAME=VALUE, as [os.Environ] returns it
	Stdin   io.ReadCloser
	Stdout  io.Writer
	Stderr  io.Writer
}
