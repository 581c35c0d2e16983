package child_test

import (
	"os"
	"testing"

	"mcp-aggregator/testutil"
)

// TestMain is also the main function of the children that tests start: they
// run this very binary with actVariable set.
func TestMain(m *testing.M) {
	if act, ok := os.LookupEnv(actVariable); ok {
		os.Exit(perform(act))
	}
	if len(os.Args) == 1 { // go test gives flags: broken code lost actVariable, and this would start itself for ever
		os.Exit(1)
	}
	testutil.Main(m)
}
