// Package setup composes the commands that edit files of MCP clients: import, install
// and uninstall.
package setup

import "io"

// program is the name of the program, in its messages.
const program = "mcp-simple-aggregator"

// Options are the common flags of the commands and the environment of their process.
type Options struct {
	Config     string   // path of the mcpServers file
	ServeFlags []string // flags of serve, apart from --config, for the client's entry
	Debug      bool     // log info and debug messages too

	Environ []string // NAME=VALUE, as os.Environ returns it
	Stdout  io.Writer
	Stderr  io.Writer
}
