package service

import "io"

// Options are what the command line of mcp-aggregator says, and the surroundings of
// the process.
type Options struct {
	Listen     string   // host:port
	Database   string   // a path, or a URL as store.Open takes it; empty for DefaultDatabase
	NoMigrate  bool     // somebody else migrates the database
	Token      string   // what requests must have; empty: none
	Configs    []string // mcpServers files of initial registrations
	InheritEnv bool     // children get the whole environment
	LogFormat  string   // text or json
	Debug      bool     // debug logs too
	Version    string   // of the service

	Environ []string // NAME=VALUE, as of os.Environ
	Stderr  io.Writer

	limits limits // of the HTTP server; the default ones unless they are set
}

// Exit codes of the program. Wrong usage is kong's 80.
const (
	ExitOK     = 0  // a signal asked to stop
	ExitFailed = 1  // something failed at run time
	ExitConfig = 78 // a configuration error (EX_CONFIG of sysexits.h)
)
