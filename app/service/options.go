package service

import (
	"errors"
	"io"
	"path/filepath"
	"runtime"

	"mcp-aggregator/config"
)

// Options are the flags of mcp-aggregator serve and the environment of its process.
type Options struct {
	Listen     string   // host:port
	Database   string   // a path, or a URL as store.Open takes it; empty for DefaultDatabase
	NoMigrate  bool     // the database is migrated by mcp-aggregator migrate
	Token      string   // that requests must have; empty for none
	Configs    []string // mcpServers files whose servers are registered
	InheritEnv bool     // children get the whole environment
	NoLearning bool     // searches do not learn from calls
	Embeddings Embeddings
	LogFormat  string // text or json
	Debug      bool   // debug logs too
	Version    string // of the service

	Environ []string // NAME=VALUE, as os.Environ returns it
	Stderr  io.Writer

	limits limits // of the HTTP server; the zero value means the default
}

// DefaultDatabase returns the path of the SQLite file in the user's data directory:
// XDG_DATA_HOME (XDG Base Directory Specification), or its equivalent on other systems.
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

// dataPlace is a folder below the one that an environment variable names.
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
