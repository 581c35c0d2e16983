package testutil

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main is the TestMain of a package whose tests print the program's output. It runs them
// as a Suite and exits.
func Main(m *testing.M) { os.Exit(Suite{m}.Run()) }

// Launcher is the function of the goroutine whose thread starts children. It runs until
// the program ends.
const Launcher = "mcp-aggregator/modules/child.serveLaunches"

// Suite runs tests. It also fails if goroutines are left at the end, or if printed output
// contains the canary.
type Suite struct{ Tests interface{ Run() int } }

// Run runs the tests and returns the exit code.
func (s Suite) Run() int {
	defer programs.remove()
	code := s.Tests.Run()
	if code == 0 {
		if err := goleak.Find(goleak.IgnoreTopFunction(Launcher)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if report := printed.report(); report != "" {
		fmt.Fprint(os.Stderr, report)
		return 1
	}
	return code
}
