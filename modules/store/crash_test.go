package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/store"
	"mcp-aggregator/testutil/storetest"
)

// writerVariable makes the test binary write to the file that it names.
const writerVariable = "STORE_TEST_WRITES"

// keepWriting creates records, each with tools and an event, and reports every one on
// standard output.
func keepWriting(path string) {
	ctx := context.Background()
	s, err := store.Open(ctx, path, quiet())
	for err == nil {
		id := uuid.NewString()
		err = s.Create(ctx, servers.Server{ID: id, Name: "first" + id, Transport: servers.Stdio, Status: servers.Connecting, Description: id})
		if err == nil {
			err = s.ReplaceTools(ctx, id, storetest.Tools(20))
		}
		if err == nil {
			_, err = s.Update(ctx, id, func(r *servers.Server) error { r.Name, r.Error = "final"+id, id; return nil }, servers.Event{Details: id})
		}
		fmt.Println(id)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func TestCommittedWritesSurviveAKill(t *testing.T) {
	path := newFile(t)
	var reported []string
	for round := range 6 {
		// The next program to open the file finds it as the kill left it.
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			reported = append(reported, writeUntilKilled(t, path)...)
			checkReported(t, path, reported)
			checkIntegrity(t, path)
			t.Logf("%d records", len(reported))
		})
	}
}

// writeUntilKilled returns the records that were reported.
func writeUntilKilled(t *testing.T, path string) (ids []string) {
	t.Helper()
	writer := exec.CommandContext(t.Context(), os.Args[0])
	writer.Env = append(os.Environ(), writerVariable+"="+path)
	out, err := writer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if ids = append(ids, lines.Text()); len(ids) == 1 {
			time.AfterFunc(rand.N(300*time.Millisecond), func() { writer.Process.Kill() }) //nolint:errcheck // it runs until then
		}
	}
	if err := writer.Wait(); err == nil || len(ids) == 0 {
		t.Fatalf("the writer ended by itself: %v", err)
	}
	return ids
}

func checkIntegrity(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // the answer is there
	var verdict string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity: %s, %v", verdict, err)
	}
}

// checkReported checks that reported records are complete, and that each step of the
// others happened as a whole or not at all.
func checkReported(t *testing.T, path string, reported []string) {
	t.Helper()
	s := open(t, path)
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string][]string{}
	for _, tool := range tools {
		names[tool.Server] = append(names[tool.Server], tool.Namespaced)
	}
	all, err := s.Servers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	finished := map[string]bool{}
	for _, r := range all {
		finished[r.ID] = isComplete(t, s, r, names[r.ID])
	}
	for _, id := range reported {
		if !finished[id] {
			t.Errorf("%s was reported and is not whole", id)
		}
	}
}

// isComplete reports whether all of the record was written. No step may be written in
// part.
func isComplete(t *testing.T, s *store.Store, r servers.Server, tools []string) bool {
	t.Helper()
	events, err := s.History(t.Context(), r.ID, 9)
	if err != nil {
		t.Fatal(err)
	}
	last := strings.HasPrefix(r.Name, "final")
	if last != (r.Error == r.ID) || last != (len(events) == 1) || last && len(tools) == 0 || len(tools)%20 != 0 {
		t.Errorf("%s is in pieces: error %q, %d events, %d tools", r.Name, r.Error, len(events), len(tools))
	}
	for _, name := range tools {
		if !strings.HasPrefix(name, r.Name+".") {
			t.Errorf("%s has the tool %s", r.Name, name)
		}
	}
	return last
}
