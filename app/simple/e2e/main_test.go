package e2e_test

import (
	"flag"
	"os"
	"testing"

	"mcp-aggregator/testutil"
)

// stdioProgram is the package of the program under test.
const stdioProgram = "mcp-aggregator/cmd/mcp-simple-aggregator"

// childVariable makes the test binary run as a child; its value says as which.
const childVariable = "E2E_TEST_CHILD"

var update = flag.Bool("update", false, "rewrite docs/conformance.md")

// TestMain is also the main function of the children that tests start: they are this
// binary with childVariable set.
func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(childVariable); ok {
		os.Exit(runChild(name))
	}
	if len(os.Args) == 1 { // go test passes flags: a child without childVariable would start itself forever
		os.Exit(1)
	}
	testutil.Main(m)
}
