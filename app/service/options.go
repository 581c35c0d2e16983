package service

import (
	"errors"
	"io"
	"path/filepath"
	"runtime"

	"mcp-aggregator/config"
)

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

// DefaultDatabase is the SQLite file in the user's data directory: XDG_DATA_HOME (XDG
// Base Directory Specification), or what corresponds to it elsewhere.
func DefaultDatabase(environ []string) (string, error) { return databaseOf(runtime.GOOS, environ) }

func databaseOf(system string, environ []string) (string, error) {
	env := config.NewEnv(environ)
	for _, place := range dataPlaces(system) {
		if folder, ok := env.Lookup(place.variable); ok && filepath.IsAbs(folder) {
			return filepath.Join(folder, place.below, "mcp-aggregator", "aggregator.db"), nil
		}
	}
	return "", errors.New("there is no home directory for the database: set --database")
}

// dataPlace is a folder below the one that a variable names.
type dataPlace struct{ variable, below string }

func dataPlaces(system string) []dataPlace {
	switch system {
	case "windows":
		return []dataPlace{{"LOCALAPPDATA", ""}, {"APPDATA", ""}}
	case "darwin":
		return []dataPlace{{"XDG_DATA_HOME", ""}, {"HOME", "Library/Application Support"}}
	default:
		return []dataPlace{{"XDG_DATA_HOME", ""}, {"HOME", ".local/share"}}
	}
}
