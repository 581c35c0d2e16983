package main_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcp-aggregator/app/version"
	program "mcp-aggregator/cmd/mcp-aggregator"
	"mcp-aggregator/testutil"
)

// TestMain is also the main function of the program and of the servers that the
// tests start, which it distinguishes by os.Args[0].
func TestMain(m *testing.M) {
	testscript.Main(testutil.Suite{Tests: m}, map[string]func(){
		"mcp-aggregator": program.Main,
		"fakechild":      fakeChild,
		"sdkserver":      sdkServer,
	})
}

// TestScripts runs the program as an administrator types it, one script a behavior.
// Everything that a script starts must have ended at its end. UPDATE_SCRIPTS=1 rewrites
// the expected output in the scripts.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"answer":     serveAnswer,
			"ended":      ended,
			"eventually": eventually,
			"exits":      exits,
			"occupy":     occupy,
			"serve":      serve,
			"signal":     sendSignal,
			"until":      until,
		},
		Setup: func(env *testscript.Env) error {
			env.Values[servicesKey{}] = services{}
			env.Setenv("BUILD_VERSION", version.String())
			// A program with the race detector sleeps for a second before it exits unless
			// this variable says otherwise.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/data")
			env.Setenv("XDG_TEST_CANARY", testutil.Canary)
			env.Setenv(testutil.MarkVariable, testutil.Mark(env.T().(testing.TB)).Value())
			return nil
		},
	})
}
