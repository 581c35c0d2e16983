package service_test

import (
	"path/filepath"
	"testing"
	"time"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/testutil"
	"mcp-aggregator/testutil/pgtest"
)

// Other replicas take over a process as soon as the connection that holds its claim is
// cut. The children themselves record whether several run at once.
func TestNoTwoReplicasRunOneProcess(t *testing.T) {
	testutil.MarkAll(t)
	database := postgres.Database(t)
	var f replicaSet
	for range 3 {
		s := &running{t: t}
		s.run(s.options(at(database), withProcesses), nil, testutil.Replace(sessions.Options{ClaimPause: 10 * time.Millisecond}))
		f = append(f, s)
	}
	paths, ids := map[string]string{}, map[string]string{}
	for _, manner := range []string{polite, stubborn} {
		paths[manner] = filepath.Join(t.TempDir(), manner)
		ids[manner] = f[0].register(manner, "STDIO", childAt(paths[manner], manner)).ID
	}
	f.everywhere("the registrations", func(s *running) bool {
		return s.status("GET", "/aggregator/servers/"+ids[polite], "") == 200 && s.status("GET", "/aggregator/servers/"+ids[stubborn], "") == 200
	})
	const rounds = 3
	for round := range rounds + 1 {
		for manner, path := range paths {
			f[0].until(manner+" is started", func() bool { starts, _ := childLog(t, path); return starts > round })
			f.owner(ids[manner])
		}
		if round < rounds {
			pgtest.Execute(t, database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'mcp-aggregator claims'")
		}
	}
	for manner, path := range paths {
		starts, overlaps := childLog(t, path)
		t.Logf("%s: %d starts", manner, starts)
		if overlaps > 0 {
			t.Errorf("%s: of %d starts %d were while another one lived", manner, starts, overlaps)
		}
	}
}
