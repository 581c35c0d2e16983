package service_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/testutil"
)

func TestReplicasShareRegistrations(t *testing.T) {
	server, connection := web(t, "served")
	f := startReplicas(t, testutil.Spawner{})
	began := time.Now()
	id := f[0].register("a", "HTTP", connection).ID
	f.everywhere("the registration", func(s *running) bool {
		return s.status(http.MethodGet, "/aggregator/servers/"+id, "") == http.StatusOK
	})
	t.Logf("all replicas know the server after %v", time.Since(began))
	f.all(id, "CONNECTED")
	for _, s := range f {
		if got := s.api().call("a.x", `{}`); !strings.Contains(got, "served") {
			t.Errorf("the answer is %s", got)
		}
	}
	if n := len(slices.Collect(server.Sessions())); n != len(f) {
		t.Errorf("the server has %d sessions", n)
	}
}

func TestAProcessRunsAtOneReplica(t *testing.T) {
	var c childCounts
	f := startReplicas(t, testutil.Spawner{"a": c.program()})
	id := f[1].register("a", "STDIO", `{"command":"x"}`).ID
	f.everywhere("the registration", func(s *running) bool {
		return s.status(http.MethodGet, "/aggregator/servers/"+id, "") == http.StatusOK
	})
	owner, others := f.owner(id)
	owner.api().call("a.x", `{}`)
	for _, s := range others {
		s.until("why it does not run here", func() bool { return strings.Contains(s.get(id).Error, "another replica") })
		if _, said := s.rest(http.MethodPost, "/aggregator/servers/"+id+"/connect", ""); !strings.Contains(said, `"status":"DISCONNECTED"`) || !strings.Contains(said, "another replica") {
			t.Errorf("connect says %s", said)
		}
		problem := s.api().refused(http.StatusServiceUnavailable, "a.x", `{}`)
		if problem.Server != "a" || problem.ServerStatus != "DISCONNECTED" || !strings.Contains(problem.Detail, "another replica") {
			t.Errorf("it is refused with %+v", problem)
		}
	}
	if c.String() != "1 starts, 1 alive, at most 1 at once" {
		t.Error(c.String())
	}
	owner.stop()
	next, _ := others.owner(id)
	next.api().call("a.x", `{}`)
	if c.String() != "2 starts, 1 alive, at most 1 at once" {
		t.Error(c.String())
	}
	for _, s := range others {
		s.recorded(id, "CONNECTED", "DISCONNECTED", "CONNECTED")
	}
}

func TestReplicasFollowChanges(t *testing.T) {
	_, first := web(t, "first")
	_, second := web(t, "second")
	f := startReplicas(t, testutil.Spawner{})
	id := f[0].register("a", "HTTP", first).ID
	path := "/aggregator/servers/" + id
	f.everywhere("the registration", func(s *running) bool { return s.status(http.MethodGet, path, "") == http.StatusOK })
	f.all(id, "CONNECTED")

	f[1].status(http.MethodPatch, path, `{"name":"b"}`)
	f.everywhere("the new name", func(s *running) bool {
		return s.status(http.MethodPost, "/tools/call", `{"name":"b.x"}`) == http.StatusOK
	})
	f.everywhere("the end of the old one", func(s *running) bool {
		return s.status(http.MethodPost, "/tools/call", `{"name":"a.x"}`) == http.StatusNotFound
	})

	f[2].status(http.MethodPatch, path, `{"connection_config":`+second+`}`)
	f.everywhere("the new connection", func(s *running) bool {
		_, text := s.rest(http.MethodPost, "/tools/call", `{"name":"b.x"}`)
		return strings.Contains(text, "second")
	})

	f[0].status(http.MethodPost, path+"/disconnect", "")
	f.all(id, "DISCONNECTED")
	f.everywhere("no tools", func(s *running) bool { return len(s.api().listed()) == 0 })
	f[1].status(http.MethodPost, path+"/connect", "")
	f.all(id, "CONNECTED")

	f[2].status(http.MethodDelete, path, "")
	f.everywhere("the removal", func(s *running) bool { return s.status(http.MethodGet, path, "") == http.StatusNotFound })
	f.everywhere("no tools", func(s *running) bool { return len(s.api().listed()) == 0 })
}

// The replica that runs a process ends it, whichever replica gets the request.
func TestReplicasFollowChangesOfAProcess(t *testing.T) {
	var c childCounts
	f := startReplicas(t, testutil.Spawner{"a": c.program(), "b": c.program()})
	id := f[0].register("a", "STDIO", `{"command":"x"}`).ID
	path := "/aggregator/servers/" + id
	f.everywhere("the registration", func(s *running) bool { return s.status(http.MethodGet, path, "") == http.StatusOK })
	owner, others := f.owner(id)
	others[0].status(http.MethodPatch, path, `{"name":"b"}`)
	owner.until("the new name", func() bool { return owner.status(http.MethodPost, "/tools/call", `{"name":"b.x"}`) == http.StatusOK })
	others[1].status(http.MethodPost, path+"/disconnect", "")
	owner.await(id, "DISCONNECTED")
	owner.until("the end of the process", func() bool { return strings.Contains(c.String(), " 0 alive") })
	others[0].status(http.MethodPost, path+"/connect", "")
	next, _ := f.owner(id)
	next.api().call("b.x", `{}`)
	f[0].status(http.MethodDelete, path, "")
	f.everywhere("the removal", func(s *running) bool { return s.status(http.MethodGet, path, "") == http.StatusNotFound })
	owner.until("the end of the process", func() bool { return c.String() == "2 starts, 0 alive, at most 1 at once" })
}
