package child_test

import (
	"os"
	"testing"

	"mcp-aggregator/testutil"
)

// TestMain is also the main function of the children that tests start: they run the test
// binary with helperVariable set.
func TestMain(m *testing.M) {
	if behavior, ok := os.LookupEnv(helperVariable); ok {
		os.Exit(runHelper(behavior))
	}
	if len(os.Args) == 1 { // go test gives flags: without helperVariable the binary would start itself for ever
		os.Exit(1)
	}
	testutil.Main(m)
}
