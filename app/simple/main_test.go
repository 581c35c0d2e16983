package app_test

import (
	"os"
	"testing"

	"mcp-aggregator/testutil"
)

// actVariable makes the test binary act as a child: it names the act.
const actVariable = "APP_TEST_ACT"

// TestMain is also the main function of the real children that tests start:
// they run this very binary with actVariable set.
func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(actVariable); ok {
		os.Exit(act(name))
	}
	if len(os.Args) == 1 { // go test gives flags: broken code lost actVariable, and this would start itself for ever
		os.Exit(1)
	}
	testutil.Main(m)
}
