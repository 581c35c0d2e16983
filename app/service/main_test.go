package service_test

import (
	"os"
	"testing"

	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/pgtest"
)

// postgres is shared by all tests; frozen by those that stop it.
var postgres, frozen pgtest.Server

func TestMain(m *testing.M) {
	if text := os.Getenv(childVariable); text != "" {
		runChild(text)
	}
	os.Exit(testutil.Suite{Tests: frozen.Wrap(postgres.Wrap(m))}.Run())
}
