package config

import (
	"encoding/json"
	"iter"
	"maps"
	"path/filepath"
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

// ChainVariable is the environment variable through which an aggregator tells
// its children which files are being served further up.
const ChainVariable = "MCP_SIMPLE_AGGREGATOR_CHAIN"

// Chain is the files that are being served, outermost first, this one last.
type Chain struct{ paths []string }

// NewChain appends the file at path to the chain that was inherited. If it is
// in there already, starting its servers would never end: the error is
// [Errors] with the code [CircularConfig].
func NewChain(path Path, env Env) (Chain, error) {
	inherited := inheritedChain(env)
	own := resolve(path)
	chain := append(inherited, own)
	if first := slices.Index(inherited, own); first >= 0 {
		return Chain{}, Errors{circularError(path, chain[first:])}
	}
	return Chain{paths: chain}, nil
}

// IsZero reports whether no file is being served.
func (c Chain) IsZero() bool { return len(c.paths) == 0 }

// Value is what children inherit in [ChainVariable].
func (c Chain) Value() string {
	value, _ := json.Marshal(c.paths) // strings always can be
	return string(value)
}

// inheritedChain takes a value that is none of ours for an empty chain.
func inheritedChain(env Env) (paths []string) {
	value, _ := env.Lookup(ChainVariable)
	if json.Unmarshal([]byte(value), &paths) != nil {
		return nil
	}
	return paths
}

// resolve returns one path for a file however it is reached. A file that
// cannot be resolved is reported by the Loader.
func resolve(path Path) string {
	absolute, err := filepath.Abs(string(path))
	if err != nil {
		absolute = string(path)
	}
	if target, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = target
	}
	return string([]rune(absolute)) // as JSON will return it: with U+FFFD for an invalid byte
}

func circularError(path Path, paths []string) *Error {
	shown := make([]string, len(paths))
	for i, p := range paths {
		shown[i] = display(p)
	}
	return &Error{
		Code: CircularConfig, File: string(path),
		Message: "configuration serves itself: " + strings.Join(shown, " -> ") +
			"; remove the server that starts an aggregator on this file again",
	}
}
