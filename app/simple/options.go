package app

import "io"

// Options are what the command line of mcp-simple-aggregator says, and the
// surroundings of the process.
type Options struct {
	Config     string   // path of the mcpServers file
	Name       string   // serverInfo.name
	Version    string   // serverInfo.version
	Separator  string   // between configuration key and tool name
	Only       []string // keys of the servers to run; all unless given
	Allow      []string // globs over canonical names, of which a tool must match one if there are any
	Deny       []string // and none of these
	InheritEnv bool     // children get the whole environment
	Debug      bool     // info and debug logs too
	Progress   bool     // check shows a line for each server as it settles
	Reports    bool     // check: servers that fail are in the report, and not logged

	Environ []string // NAME=VALUE, as of os.Environ
	Stdin   io.ReadCloser
	Stdout  io.Writer
	Stderr  io.Writer
}

// CheckOptions are what the command line says for check.
type CheckOptions struct {
	JSON   bool
	Client string // key of the client to judge for, one of Clients; empty for all
	Screen Screen
}

// Screen is what the report is shown on. The zero value is a pipe or a file.
type Screen struct {
	Width  int  // columns; 0 for no limit
	Colour bool // by ANSI escapes
}

// Exit codes of the program. Wrong usage is kong's 80.
const (
	ExitOK     = 0  // the client closed its end, or a signal asked to stop
	ExitFailed = 1  // something failed at run time
	ExitConfig = 78 // a configuration error (EX_CONFIG of sysexits.h)
)
