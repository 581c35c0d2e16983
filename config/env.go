package config

import (
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
)

// Env is the environment of the process. The zero value is an empty one.
type Env struct {
	vars map[string]Var // by the name as the system compares it
	fold func(name string) string
}

// NewEnv takes variables in the form of [os.Environ]. Of two with one name the
// first counts, as it does for [os.Getenv]; what is not NAME=VALUE is left out.
func NewEnv(environ []string) Env {
	return newEnv(environ, runtime.GOOS == "windows")
}

func newEnv(environ []string, ignoreCase bool) Env {
	env := Env{vars: make(map[string]Var, len(environ)), fold: strings.Clone}
	if ignoreCase {
		env.fold = strings.ToUpper
	}
	for _, line := range environ {
		v, ok := parseVar(line)
		if !ok {
			continue
		}
		if _, known := env.Lookup(v.Name); !known {
			env.vars[env.fold(v.Name)] = v
		}
	}
	return env
}

// parseVar looks for the = from the second character on: Windows keeps each
// drive's working directory in a variable such as "=C:".
func parseVar(line string) (Var, bool) {
	if line == "" {
		return Var{}, false
	}
	name, value, ok := strings.Cut(line[1:], "=")
	return Var{Name: line[:1] + name, Value: value}, ok
}

// Lookup returns the value of a variable and whether it is set. The case of
// the name does not matter on Windows.
func (e Env) Lookup(name string) (string, bool) {
	if e.vars == nil {
		return "", false
	}
	v, ok := e.vars[e.fold(name)]
	return v.Value, ok
}

// All returns every variable's name and value, sorted by name.
func (e Env) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, key := range slices.Sorted(maps.Keys(e.vars)) {
			if v := e.vars[key]; !yield(v.Name, v.Value) {
				return
			}
		}
	}
}
