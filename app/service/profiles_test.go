package service_test

import (
	"net/http"
	"strings"
	"testing"

	"mcp-aggregator/testutil"
)

// view is a profile in the API's JSON.
type view struct {
	Name, Mode string
	Servers    []string
	Unknown    []string `json:"unknown_servers"`
}

func (a api) profile(name string) view {
	a.t.Helper()
	return decode[view](a.t, a.answered(http.StatusOK, http.MethodGet, "/profiles/"+name, ""))
}

func TestProfilesOutliveTheService(t *testing.T) {
	_, connection := web(t, "served")
	again := restartable(t, testutil.Spawner{})
	s := again()
	s.api().answered(http.StatusCreated, http.MethodPost, "/profiles", `{"name":"p","servers":["a","b"],"mode":"lean"}`)
	if got := s.api().profile("p"); strings.Join(got.Unknown, " ") != "a b" {
		t.Errorf("unknown servers are %q", got.Unknown)
	}
	id := s.register("a", "HTTP", connection).ID
	if got := s.api().profile("p"); strings.Join(got.Unknown, " ") != "b" {
		t.Errorf("unknown servers are %q", got.Unknown)
	}
	s = again()
	if got := s.api().profile("p"); got.Mode != "lean" || strings.Join(got.Servers, " ") != "a b" || strings.Join(got.Unknown, " ") != "b" {
		t.Errorf("after a restart it is %+v", got)
	}
	s.api().answered(http.StatusNoContent, http.MethodDelete, "/aggregator/servers/"+id, "")
	if got := s.api().profile("p"); strings.Join(got.Unknown, " ") != "a b" {
		t.Errorf("unknown servers are %q", got.Unknown)
	}
	s.api().answered(http.StatusNoContent, http.MethodDelete, "/profiles/p", "")
	s = again()
	s.api().answered(http.StatusNotFound, http.MethodGet, "/profiles/p", "")
}

func TestReplicasShareProfiles(t *testing.T) {
	f := startReplicas(t, testutil.Spawner{})
	f[0].api().answered(http.StatusCreated, http.MethodPost, "/profiles", `{"name":"p"}`)
	f.everywhere("the profile", func(s *running) bool { return s.status(http.MethodGet, "/profiles/p", "") == http.StatusOK })
	if status := f[1].status(http.MethodPost, "/profiles", `{"name":"p"}`); status != http.StatusConflict {
		t.Errorf("the name can be had again: %d", status)
	}
	f[1].api().answered(http.StatusOK, http.MethodPatch, "/profiles/p", `{"mode":"lean"}`)
	f.everywhere("the new mode", func(s *running) bool { return s.api().profile("p").Mode == "lean" })
	f[2].api().answered(http.StatusOK, http.MethodPatch, "/profiles/p", `{"servers":["a"]}`)
	f.everywhere("both changes", func(s *running) bool {
		got := s.api().profile("p")
		return got.Mode == "lean" && strings.Join(got.Servers, " ") == "a"
	})
	f[0].api().answered(http.StatusNoContent, http.MethodDelete, "/profiles/p", "")
	f.everywhere("the removal", func(s *running) bool { return s.status(http.MethodGet, "/profiles/p", "") == http.StatusNotFound })
}
