package config_test

import (
	"maps"
	"slices"
	"testing"

	"mcp-aggregator/config"
)

func list(env config.Env) (lines []string) {
	for name, value := range env.All() {
		lines = append(lines, name+"="+value)
	}
	return lines
}

func wantVar(t *testing.T, env config.Env, name, want string, wantSet bool) {
	t.Helper()
	if value, set := env.Lookup(name); value != want || set != wantSet {
		t.Errorf("%q is %q, %t; want %q, %t", name, value, set, want, wantSet)
	}
}

func TestVariablesAreLookedUp(t *testing.T) {
	env := config.NewEnv([]string{"A=1", "EMPTY=", "EQ=a=b", "no value", "", "A=2"})
	wantVar(t, env, "A", "1", true) // the first counts
	wantVar(t, env, "EMPTY", "", true)
	wantVar(t, env, "EQ", "a=b", true)
	wantVar(t, env, "no value", "", false)
	wantVar(t, env, "", "", false)
	wantVar(t, env, "B", "", false)
}

func TestTheZeroEnvIsEmpty(t *testing.T) {
	wantVar(t, config.Env{}, "A", "", false)
	if got := list(config.Env{}); got != nil {
		t.Errorf("variables %q", got)
	}
}

func TestVariablesAreListedInOrder(t *testing.T) {
	env := config.NewEnvFor([]string{"b=2", "C=3", "a=1", "B=4", "nothing", "a=5"}, false)
	want := []string{"B=4", "C=3", "a=1", "b=2"}
	if got := list(env); !slices.Equal(got, want) {
		t.Errorf("variables %q, want %q", got, want)
	}
	for range env.All() {
		break // a caller may stop early
	}
}

func TestCaseMattersButOnWindows(t *testing.T) {
	environ := []string{"Path=C:\\bin", "=C:=C:\\work", "PATH=other"}

	unix := config.NewEnvFor(environ, false)
	wantVar(t, unix, "Path", "C:\\bin", true)
	wantVar(t, unix, "PATH", "other", true)
	wantVar(t, unix, "path", "", false)

	windows := config.NewEnvFor(environ, true)
	wantVar(t, windows, "path", "C:\\bin", true)
	wantVar(t, windows, "PATH", "C:\\bin", true)
	wantVar(t, windows, "=c:", "C:\\work", true)
	if got := maps.Collect(windows.All()); !maps.Equal(got, map[string]string{"Path": "C:\\bin", "=C:": "C:\\work"}) {
		t.Errorf("variables %q", got)
	}
}
