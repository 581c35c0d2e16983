package testutil

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main is the TestMain of a package whose tests see what the program prints: it
// runs them as Suite does and exits.
func Main(m *testing.M) { os.Exit(Suite{m}.Run()) }

// Launcher is the goroutine whose thread starts children: it lives as long as
// the program.
const Launcher = "mcp-aggregator/modules/child.serveLaunches"

// Suite runs tests. They fail, too, if goroutines are left at the end, or if
// something that was printed holds the canary.
type Suite struct{ Tests interface{ Run() int } }

// Run returns the exit code.
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
