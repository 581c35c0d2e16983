package service_test

import (
	"os"
	"testing"

	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/pgtest"
)

var postgres pgtest.Server

func TestMain(m *testing.M) { os.Exit(testutil.Suite{Tests: postgres.Around(m)}.Run()) }
