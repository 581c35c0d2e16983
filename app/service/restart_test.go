package service_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// withTools returns a child with tools of those names, which return their names.
func withTools(names ...string) testutil.Program {
	return testutil.SDK(func(server *mcp.Server) {
		for _, name := range names {
			addTool(server, name, name)
		}
	})
}

// restartable starts services on one file, one after the other.
func restartable(t *testing.T, programs child.Spawner) func() *running {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.db")
	var s *running
	return func() *running {
		if s != nil {
			s.stop()
		}
		s = start(t, programs, at(file))
		return s
	}
}

func TestARestartKeepsWhatWasRegistered(t *testing.T) {
	_, connection := web(t, "served")
	again := restartable(t, testutil.Spawner{"a": withTools("x", "y")})
	s := again()
	a, b := s.register("a", "STDIO", `{"command":"x","env":{"WORD":"${SECRET_WORD}"}}`).ID, s.register("b", "HTTP", connection).ID
	s.await(a, "CONNECTED")
	s.await(b, "CONNECTED")
	before := s.api().listed()
	s = again()
	s.await(a, "CONNECTED")
	s.await(b, "CONNECTED")
	if after := s.api().listed(); !slices.Equal(after, before) || len(after) != 3 {
		t.Errorf("the tools are %q, and were %q", after, before)
	}
	s.api().call("a.y", `{}`)
	s.api().call("b.x", `{}`)
	s.recorded(a, "CONNECTED", "DISCONNECTED", "CONNECTED")
}

func TestWhatStaysDisconnected(t *testing.T) {
	for name, tt := range map[string]struct {
		begin func(s *running, id string) // of a server that is connected
		after string
	}{
		"nothing that was left alone": {func(*running, string) {}, "CONNECTED"},
		"what was disconnected": {func(s *running, id string) {
			s.status(http.MethodPost, "/aggregator/servers/"+id+"/disconnect", "")
		}, "DISCONNECTED"},
		"what is not to be connected by itself": {func(s *running, id string) {
			s.status(http.MethodPatch, "/aggregator/servers/"+id, `{"auto_connect":false}`)
		}, "DISCONNECTED"},
		"nothing that was connected again": {func(s *running, id string) {
			s.status(http.MethodPost, "/aggregator/servers/"+id+"/disconnect", "")
			s.status(http.MethodPost, "/aggregator/servers/"+id+"/connect", "")
			s.await(id, "CONNECTED")
		}, "CONNECTED"},
	} {
		t.Run(name, func(t *testing.T) {
			again := restartable(t, testutil.Spawner{"a": withTools("x"), "last": withTools("x")})
			s := again()
			id := s.register("a", "STDIO", `{"command":"x"}`).ID
			last := s.register("last", "STDIO", `{"command":"x"}`).ID
			s.await(id, "CONNECTED")
			tt.begin(s, id)
			s = again()
			s.await(last, "CONNECTED") // the others had as much time
			if got := s.await(id, tt.after); got.Tools != map[string]int{"CONNECTED": 1}[tt.after] {
				t.Errorf("it is %+v", got)
			}
		})
	}
}

func TestAServerThatIsNotToBeConnectedByItself(t *testing.T) {
	s := start(t, testutil.Spawner{"a": withTools("x")})
	id := decode[shown](t, s.api().answered(http.StatusCreated, http.MethodPost, "/aggregator/servers",
		`{"name":"a","transport_type":"STDIO","auto_connect":false,"connection_config":{"command":"x"}}`)).ID
	if got := s.get(id); got.Status != "DISCONNECTED" {
		t.Errorf("it is %+v", got)
	}
	if problem := s.api().refused(http.StatusServiceUnavailable, "a.x", `{}`); problem.ServerStatus != "DISCONNECTED" {
		t.Errorf("it is refused with %+v", problem)
	}
	s.status(http.MethodPost, "/aggregator/servers/"+id+"/connect", "")
	s.await(id, "CONNECTED")
	s.api().call("a.x", `{}`)
}

func TestToolsOfADisconnectedServer(t *testing.T) {
	again := restartable(t, testutil.Spawner{"a": withTools("x", "y"), "b": withTools("z")})
	s := again()
	a, b := s.register("a", "STDIO", `{"command":"x"}`).ID, s.register("b", "STDIO", `{"command":"x"}`).ID
	s.await(a, "CONNECTED")
	s.status(http.MethodPost, "/aggregator/servers/"+a+"/disconnect", "")
	for _, when := range []string{"before a restart", "after it"} {
		t.Run(when, func(t *testing.T) {
			s.await(b, "CONNECTED")
			unavailable(t, &running{t: t, url: s.url})
		})
		s = again()
	}
}

// unavailable expects the tools of a stored but unavailable, and those of b available.
func unavailable(t *testing.T, s *running) {
	t.Helper()
	if got := s.api().listed(); !slices.Equal(got, []string{"b.z"}) {
		t.Errorf("listed are %q", got)
	}
	if got := s.host("test", false).names(); !slices.Equal(got, []string{"b.z"}) {
		t.Errorf("through /mcp they are %q", got)
	}
	if got := s.api().tool("a.x"); got.Available || got.Server != "a" || got.OriginalName != "x" {
		t.Errorf("the tool is %+v", got)
	}
	stored := decode[toolList](t, s.api().answered(http.StatusOK, http.MethodGet, "/tools?available=false", ""))
	names := []string{}
	for _, group := range stored.Servers {
		for _, tool := range group.Tools {
			names = append(names, tool.Name)
		}
	}
	if !slices.Equal(names, []string{"a.x", "a.y"}) || stored.Total != 0 {
		t.Errorf("not available are %q, and %d can be called", names, stored.Total)
	}
	if problem := s.api().refused(http.StatusServiceUnavailable, "a.x", `{}`); problem.Server != "a" || problem.ServerStatus != "DISCONNECTED" {
		t.Errorf("it is refused with %+v", problem)
	}
	if _, err := s.host("test", false).call("a.x", `{}`); err == nil || !strings.Contains(err.Error(), "DISCONNECTED") {
		t.Errorf("through /mcp it is refused with %v", err)
	}
}
