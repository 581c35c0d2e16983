package pgtest_test

import (
	"os"
	"testing"

	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/pgtest"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(testutil.Suite{Tests: server.Wrap(m)}.Run()) }

func TestEachDatabaseIsEmpty(t *testing.T) {
	for range 2 {
		pgtest.Execute(t, server.Database(t), "CREATE TABLE mine (id int)")
	}
}
