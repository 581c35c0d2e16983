package pgvector_test

import (
	"context"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/dense/pgvector"
	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/pgtest"
	"mcp-aggregator/testutil/vectortest"
)

var (
	pglite   pgtest.PGlite
	postgres pgtest.Server
)

func TestMain(m *testing.M) {
	os.Exit(testutil.Suite{Tests: postgres.Wrap(pglite.Wrap(m))}.Run())
}

// database returns the URL of a database with pgvector: PGVECTOR_URL if set, otherwise
// PGlite.
func database(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("PGVECTOR_URL"); url != "" {
		return url
	}
	return pglite.URL(t)
}

// empty returns the URL of a database without the tables.
func empty(t *testing.T) string {
	t.Helper()
	url := database(t)
	pgtest.Execute(t, url, "DROP TABLE IF EXISTS mcp_tool_vectors, mcp_vector_spaces")
	return url
}

func open(t *testing.T, url string) *pgvector.Store {
	t.Helper()
	s := pgvector.New(pgvector.Options{URL: url, Connections: 2})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestPgvectorKeepsTheContract(t *testing.T) {
	vectortest.Run(t, func(t *testing.T) dense.VectorStore { t.Helper(); return open(t, empty(t)) })
}

func space(dimension int) dense.Space { return dense.Space{Model: "m", Dimension: dimension} }

// one returns a unit vector of the given dimension.
func one(dimension int) dense.Vector {
	values := make([]float32, dimension)
	values[dimension-1] = 1
	return dense.Vector{Point: dense.Point{Hash: dense.Hash{7}, Payload: dense.Payload{
		ServerID: "id", Server: "git", Name: "create_issue", Classified: true, SkillIDs: []string{"a", "b"},
	}}, Values: values}
}

func put(t *testing.T, s *pgvector.Store, v dense.Vector) {
	t.Helper()
	if err := s.Put(t.Context(), space(len(v.Values)), []dense.Vector{v}); err != nil {
		t.Fatal(err)
	}
}

// query returns the rows of a statement as text.
func query(t *testing.T, url, statement string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the result has been read
	rows, err := conn.Query(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(texts, "\n")
}

func TestThePayloadHasTheSpecifiedColumns(t *testing.T) {
	url := empty(t)
	put(t, open(t, url), one(3))
	got := query(t, url, `SELECT concat_ws(' ', source_server_id, source_server_name, original_name, is_external, is_classified, skill_ids) FROM mcp_tool_vectors`)
	if got != "id git create_issue t t {a,b}" {
		t.Errorf("got %s", got)
	}
}

func TestEachDimensionHasItsIndex(t *testing.T) {
	for dimension, want := range map[int]string{3: "hnsw (((embedding)::vector(3))", 2500: "hnsw (((embedding)::halfvec(2500))", 5000: ""} {
		url := empty(t)
		s := open(t, url)
		v := one(dimension)
		put(t, s, v)
		near, err := s.Nearest(t.Context(), space(dimension), v.Values, 3, []string{"git"})
		if err != nil || len(near) != 1 || near[0].Hash != v.Hash {
			t.Errorf("%d: got %v, %v", dimension, near, err)
		}
		got := query(t, url, "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'mcp\\_tool\\_vectors\\__'")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%d: the index is %q", dimension, got)
		}
	}
}

func TestReplicasShareTheTables(t *testing.T) {
	url := empty(t)
	put(t, open(t, url), one(3))
	known, err := open(t, url).Refresh(t.Context(), space(3), []dense.Point{one(3).Point})
	if err != nil || len(known) != 1 {
		t.Errorf("got %v, %v", known, err)
	}
}

func TestDroppedTablesAreCreatedAgain(t *testing.T) {
	s := open(t, empty(t))
	put(t, s, one(3))
	empty(t)
	if _, err := s.Nearest(t.Context(), space(3), one(3).Values, 3, []string{"git"}); err == nil {
		t.Error("there is no error")
	}
	put(t, s, one(3))
}

func TestAPostgreSQLWithoutPgvectorSaysWhatToDo(t *testing.T) {
	_, err := open(t, postgres.Database(t)).Get(t.Context(), space(3), nil)
	if err == nil || !strings.Contains(err.Error(), "install pgvector") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestTheStoreRecoversWhenTheDatabaseReturns(t *testing.T) {
	config, err := pgx.ParseConfig(empty(t))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	const password = "hunter2canary"
	s := open(t, "postgres://"+config.User+":"+password+"@"+address+"/"+config.Database+"?sslmode=disable&default_query_exec_mode=exec")
	_, err = s.Get(t.Context(), space(3), []dense.Hash{one(3).Hash}) // must start nevertheless
	if err == nil || strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	relay(t, address, net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))))
	put(t, s, one(3))
	if near, err := s.Nearest(t.Context(), space(3), one(3).Values, 3, []string{"git"}); err != nil || len(near) != 1 {
		t.Errorf("got %v, %v", near, err)
	}
	if err := s.Stop(t.Context()); err != nil { // before the relay stops
		t.Error(err)
	}
}

// relay makes the server at target available at another address.
func relay(t *testing.T, address, target string) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	t.Cleanup(func() { _ = listener.Close(); group.Wait() })
	group.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				_ = client.Close()
				continue
			}
			for from, to := range map[net.Conn]net.Conn{client: server, server: client} {
				group.Go(func() {
					_, _ = io.Copy(to, from)
					_ = to.Close()
				})
			}
		}
	})
}

func TestAnInvalidURLIsRejectedWithoutShowingThePassword(t *testing.T) {
	err := pgvector.New(pgvector.Options{URL: "postgres://u:hunter2canary%zz@h/db"}).Start(t.Context())
	if err == nil || strings.Contains(err.Error(), "hunter2canary") || !strings.Contains(err.Error(), "URL is invalid") {
		t.Errorf("got %v", err)
	}
}
