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

// Env is a process environment. The zero value is empty.
type Env struct {
	vars map[string]Var // by folded name
	fold func(name string) string
}

// NewEnv returns the environment of environ, in the form of [os.Environ]. If a name is
// repeated, the first value counts, as it does for [os.Getenv]. Entries that are not
// NAME=VALUE are ignored.
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

// parseVar splits NAME=VALUE. It searches for = from the second character on, because
// Windows keeps each drive's working directory in a variable such as "=C:".
func parseVar(line string) (Var, bool) {
	if line == "" {
		return Var{}, false
	}
	name, value, ok := strings.Cut(line[1:], "=")
	return Var{Name: line[:1] + name, Value: value}, ok
}

// Lookup returns the value of a variable and whether it is set. On Windows, names are
// case-insensitive.
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

// ChainVariable is the environment variable in which an aggregator passes its [Chain] to
// its children.
const ChainVariable = "MCP_SIMPLE_AGGREGATOR_CHAIN"

// Chain is the list of files that are being served by nested aggregators, outermost
// first, this one's last.
type Chain struct{ paths []string }

// NewChain appends the file at path to the inherited chain. If the chain contains it
// already, starting its servers would never end; the error is then [Errors] with the
// code [CircularConfig].
func NewChain(path Path, env Env) (Chain, error) {
	inherited := inheritedChain(env)
	own := resolve(path)
	chain := append(inherited, own)
	if first := slices.Index(inherited, own); first >= 0 {
		return Chain{}, Errors{circularError(path, chain[first:])}
	}
	return Chain{paths: chain}, nil
}

// IsZero reports whether the chain is empty.
func (c Chain) IsZero() bool { return len(c.paths) == 0 }

// Value returns the value of [ChainVariable] for children: a JSON array of paths.
func (c Chain) Value() string {
	value, _ := json.Marshal(c.paths) // never fails for strings
	return string(value)
}

// inheritedChain returns the chain in env, nil if the value is not valid.
func inheritedChain(env Env) (paths []string) {
	value, _ := env.Lookup(ChainVariable)
	if json.Unmarshal([]byte(value), &paths) != nil {
		return nil
	}
	return paths
}

// resolve returns the absolute path of a file without symbolic links. The Loader reports
// a file that cannot be resolved.
func resolve(path Path) string {
	absolute, err := filepath.Abs(string(path))
	if err != nil {
		absolute = string(path)
	}
	if target, err := filepath.EvalSymlinks(absolute); err == nil {
		absolute = target
	}
	return string([]rune(absolute)) // as it comes back from JSON, with U+FFFD for invalid bytes
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
