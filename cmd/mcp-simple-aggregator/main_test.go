package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-aggregator/app/version"
	program "mcp-aggregator/cmd/mcp-simple-aggregator"
	"mcp-aggregator/testutil"
)

// A program with the race detector sleeps for a second before it exits unless this
// variable says otherwise.
const raceOptions, noRaceSleep = "GORACE", "atexit_sleep_ms=0"

// TestMain is also the main function of the program and of the servers that the tests
// start, which it distinguishes by os.Args[0].
func TestMain(m *testing.M) {
	testscript.Main(testutil.Suite{Tests: m}, map[string]func(){
		"mcp-simple-aggregator": program.Main,
		"panicking-aggregator":  panicking,
		"fakechild":             fakeChild,
	})
}

// Only exits searches the output for secrets.
func TestScriptsRunTheProgramByExits(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`(?m)^[^#]*exec mcp-simple-aggregator`).Match(text) {
			t.Errorf("%s runs it by exec", script)
		}
	}
}

// TestScripts runs the program as a user types it, one script a behavior.
// UPDATE_SCRIPTS=1 rewrites the expected output in the scripts.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":        exits,
			"findings":     findings,
			"jsonlines":    jsonLines,
			"mask":         mask,
			"sort":         sortLines,
			"text":         text,
			"unterminated": unterminated,
		},
		Condition: func(name string) (bool, error) {
			if name != "root" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return os.Geteuid() == 0, nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("BUILD_VERSION", version.String())
			env.Setenv(raceOptions, noRaceSleep)
			env.Setenv(testutil.MarkVariable, testutil.Mark(env.T().(testing.TB)).Value())
			return nil
		},
	})
}
