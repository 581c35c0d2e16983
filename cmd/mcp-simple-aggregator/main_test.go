package main_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"mcp-aggregator/app"
	program "mcp-aggregator/cmd/mcp-simple-aggregator"
)

// A program with the race detector waits for a second before it exits, unless
// it is told not to.
const raceOptions, noRaceSleep = "GORACE", "atexit_sleep_ms=0"

// TestMain is also the main function of the program and of the servers that
// the tests start: it looks at the name it is run by.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"mcp-simple-aggregator": program.Main,
		"fakechild":             fakeChild,
	})
}

type leakChecked struct{ *testing.M }

func (m leakChecked) Run() int {
	code := m.M.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScripts runs the program as a user types it, one script a behaviour.
// UPDATE_SCRIPTS=1 rewrites what the scripts compare with.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":        exits,
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
			env.Setenv("BUILD_VERSION", app.Version())
			env.Setenv(raceOptions, noRaceSleep)
			return nil
		},
	})
}
