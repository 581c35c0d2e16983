package store_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/pgtest"
	"mcp-aggregator/testutil/storetest"
)

var postgres pgtest.Server

func TestMain(m *testing.M) {
	if path := os.Getenv(writerVariable); path != "" {
		keepWriting(path)
	}
	_ = flag.Set("rapid.checks", "25") // each is a database; the command line has the last word
	os.Exit(testutil.Suite{Tests: postgres.Wrap(m)}.Run())
}

// testConformance runs all suites on the stores that open opens.
func testConformance(t *testing.T, open func(t *testing.T) *store.Store) {
	t.Helper()
	storetest.Run(t, func(t *testing.T) servers.Store { t.Helper(); return open(t) })
	storetest.RunProfiles(t, func(t *testing.T) profiles.Store { t.Helper(); return open(t) })
	storetest.RunVotes(t, func(t *testing.T) search.LearningStore { t.Helper(); return open(t) })
	storetest.RunVectors(t, func(t *testing.T) storetest.VectorCache { t.Helper(); return open(t) })
}

func TestEachEngineConforms(t *testing.T) {
	for engine, address := range engines() {
		t.Run(engine, func(t *testing.T) {
			testConformance(t, func(t *testing.T) *store.Store { t.Helper(); return open(t, address(t)) })
		})
	}
}

func open(tb testing.TB, url string) *store.Store {
	tb.Helper()
	s, err := store.Open(tb.Context(), url, quiet())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func newFile(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "servers.db")
}

// engines return the URL of a new database, by engine.
func engines() map[string]func(t testing.TB) string {
	return map[string]func(t testing.TB) string{"SQLite": newFile, "PostgreSQL": postgres.Database}
}
