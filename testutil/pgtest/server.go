package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a PostgreSQL server that the first test that needs it starts, and that the end
// of the run that Wrap returns stops. The zero value is ready for use.
type Server struct {
	once      sync.Once
	running   *process // nil if it could not be started
	err       error
	databases atomic.Int64
}

// TestRunner is implemented by *testing.M.
type TestRunner interface{ Run() int }

// Wrap returns a TestRunner that runs tests and then stops the server.
func (s *Server) Wrap(tests TestRunner) TestRunner { return wrapped{s, tests} }

type wrapped struct {
	server *Server
	tests  TestRunner
}

// Run implements TestRunner.
func (a wrapped) Run() int {
	defer func() {
		if a.server.running != nil {
			a.server.running.shutDown()
		}
	}()
	return a.tests.Run()
}

// Database creates an empty database and returns its URL.
func (s *Server) Database(tb testing.TB) string {
	tb.Helper()
	s.once.Do(func() { s.running, s.err = startProcess() })
	if s.err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatalf("CI cannot do without PostgreSQL: %v", s.err)
		}
		tb.Skipf("no PostgreSQL: %v", s.err)
	}
	name := "test" + strconv.FormatInt(s.databases.Add(1), 10)
	if err := execute(tb.Context(), s.running.url("postgres"), "CREATE DATABASE "+name); err != nil {
		tb.Fatal(err)
	}
	return s.running.url(name)
}

// Execute runs a statement in the database that url names.
func Execute(tb testing.TB, url, statement string) {
	tb.Helper()
	if err := execute(tb.Context(), url, statement); err != nil {
		tb.Fatal(err)
	}
}

func execute(ctx context.Context, url, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx) //nolint:errcheck // the statement has been answered
	_, err = conn.Exec(ctx, statement)
	return err
}

// url returns the URL of a database. The server listens only on a socket in its folder.
func (p *process) url(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s", database, url.QueryEscape(p.folder))
}
