package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
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
	wantVar(t, env, "A", "1", true) // the first value counts
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

func TestNamesAreCaseInsensitiveOnWindowsOnly(t *testing.T) {
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

func below(chain string) config.Env {
	return config.NewEnv([]string{config.ChainVariable + "=" + chain})
}

func mustChain(t *testing.T, path string, env config.Env) config.Chain {
	t.Helper()
	chain, err := config.NewChain(config.Path(path), env)
	if err != nil {
		t.Fatal(err)
	}
	return chain
}

func wantChain(t *testing.T, chain config.Chain, want ...string) {
	t.Helper()
	var got []string
	if err := json.Unmarshal([]byte(chain.Value()), &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("chain %s (%v), want %q", chain.Value(), err, want)
	}
}

// realFolder creates a working directory without symbolic links in its path.
func realFolder(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(inFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

const again = "; remove the server that starts an aggregator on this file again"

func TestTheNameOfTheVariableIsStable(t *testing.T) {
	if config.ChainVariable != "MCP_SIMPLE_AGGREGATOR_CHAIN" {
		t.Errorf("variable %q", config.ChainVariable)
	}
}

func TestAChainGrowsByTheFileThatIsServed(t *testing.T) {
	folder := realFolder(t)
	write(t, "a.json", "{}")
	write(t, "b.json", "{}")
	outer := mustChain(t, "a.json", config.Env{})
	wantChain(t, outer, folder+"/a.json")
	wantChain(t, mustChain(t, "b.json", below(outer.Value())), folder+"/a.json", folder+"/b.json")
}

func TestACircleIsReportedWithItsFiles(t *testing.T) {
	folder := realFolder(t)
	a, b, c := folder+"/a.json", folder+"/b.json", folder+"/c.json"
	for _, path := range []string{a, b, c} {
		write(t, path, "{}")
	}
	tests := []struct {
		name, path string
		up         []string
		want       string
	}{
		{"a file that starts itself", "a.json", []string{a}, a + " -> " + a},
		{"two files", "a.json", []string{a, b}, a + " -> " + b + " -> " + a},
		{"a circle further in", "b.json", []string{a, b, c}, b + " -> " + c + " -> " + b},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			up, err := json.Marshal(test.up)
			if err != nil {
				t.Fatal(err)
			}
			_, err = config.NewChain(config.Path(test.path), below(string(up)))
			wantProblems(t, err, config.CircularConfig, test.path+": configuration serves itself: "+test.want+again)
		})
	}
}

func TestACircleIsDetectedThroughLinksAndRelativePaths(t *testing.T) {
	folder := realFolder(t)
	write(t, "real/a.json", "{}")
	if err := os.Symlink("real", "link"); err != nil {
		t.Skip(err)
	}
	a := folder + "/real/a.json"
	chain := mustChain(t, "link/a.json", config.Env{})
	wantChain(t, chain, a)
	for _, path := range []string{"real/a.json", "real/../link/a.json", a} {
		_, err := config.NewChain(config.Path(path), below(chain.Value()))
		wantProblems(t, err, config.CircularConfig, path+": configuration serves itself: "+a+" -> "+a+again)
	}
}

func TestACircleOfAFileWithAnUnusualNameIsReported(t *testing.T) {
	folder := realFolder(t)
	for name, shown := range map[string]string{
		"<&>.json":      folder + "/<&>.json",
		"\x1b[0m.json":  `"` + folder + `/\x1b[0m.json"`,
		"\xff\xfe.json": folder + "/\ufffd\ufffd.json",
	} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Logf("this system has no file %q: %v", name, err)
		}
		chain := mustChain(t, name, config.Env{})
		_, err := config.NewChain(config.Path(folder+"/"+name), below(chain.Value()))
		if err == nil {
			t.Errorf("no circle of %q", name)
			continue
		}
		problem := problemsOf(t, err)[0]
		if want := "configuration serves itself: " + shown + " -> " + shown + again; problem.Message != want {
			t.Errorf("message %q, want %q", problem.Message, want)
		}
	}
}

func TestAnInvalidInheritedChainIsIgnored(t *testing.T) {
	folder := realFolder(t)
	for _, value := range []string{"", "x", "{}", `["/a", 1]`, `"/a"`, "null", `["/a"] x`} {
		wantChain(t, mustChain(t, "a.json", below(value)), folder+"/a.json")
	}
}

func TestTheChainDoesNotReportAMissingFile(t *testing.T) {
	folder := realFolder(t)
	wantChain(t, mustChain(t, "no/../such.json", config.Env{}), folder+"/such.json")
}
