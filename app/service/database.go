package service

import (
	"errors"
	"path/filepath"
	"runtime"

	"mcp-aggregator/config"
)

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
