package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
)

// api is the REST API of a service, by the operations that tests ask for. The client
// that is generated from its document is tested in testutil/restclient.
type api struct{ *running }

func (s *running) api() api { return api{s} }

// problem is an error response.
type problem struct {
	Detail, Server string
	ServerStatus   string `json:"server_status"`
}

// answered sends a request that must get that status, and returns the body.
func (a api) answered(status int, method, path, body string) string {
	a.t.Helper()
	got, text := a.rest(method, path, body)
	if got != status {
		a.t.Fatalf("%s %s: %d, want %d: %s", method, path, got, status, text)
	}
	return text
}

// call calls a tool, which must return a result.
func (a api) call(name, arguments string) (result string) {
	a.t.Helper()
	return a.answered(http.StatusOK, http.MethodPost, "/tools/call", called(name, arguments))
}

// refused calls a tool, which must get that status.
func (a api) refused(status int, name, arguments string) problem {
	a.t.Helper()
	return decode[problem](a.t, a.answered(status, http.MethodPost, "/tools/call", called(name, arguments)))
}

func called(name, arguments string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments)
}

// recorded waits until these are all events of a server, oldest first: they are shown
// before they are stored.
func (s *running) recorded(id string, want ...string) {
	s.t.Helper()
	var got []string
	defer func() {
		if s.t.Failed() {
			s.t.Logf("the history is %q, want %q", got, want)
		}
	}()
	s.until("the history", func() bool {
		got = s.api().history(id)
		return slices.Equal(got, want)
	})
}

func (a api) history(id string) []string {
	a.t.Helper()
	text := a.answered(http.StatusOK, http.MethodGet, "/aggregator/servers/"+id+"/history", "")
	var kinds []string
	for _, event := range slices.Backward(decode[struct{ Events []struct{ Event string } }](a.t, text).Events) {
		kinds = append(kinds, event.Event)
	}
	return kinds
}

// tool is a tool in the API's JSON.
type tool struct {
	Name, Server string
	OriginalName string `json:"original_name"`
	Available    bool
}

// tool returns a tool, which must exist.
func (a api) tool(name string) tool {
	a.t.Helper()
	return decode[tool](a.t, a.answered(http.StatusOK, http.MethodGet, "/tools/"+url.PathEscape(name), ""))
}

// toolList is the response to GET /tools.
type toolList struct {
	Total   int
	Servers []struct {
		Total int
		Tools []tool
	}
}

// listed returns the names of all tools that can be called, and checks the totals.
func (a api) listed() []string {
	a.t.Helper()
	all := decode[toolList](a.t, a.answered(http.StatusOK, http.MethodGet, "/tools", ""))
	names, sum := []string{}, 0
	for _, group := range all.Servers {
		sum += group.Total
		for _, tool := range group.Tools {
			if tool.Available {
				names = append(names, tool.Name)
			}
		}
	}
	if all.Total != sum || all.Total != len(names) {
		a.t.Errorf("the total is %d, the sum %d, and there are %d tools", all.Total, sum, len(names))
	}
	return names
}

// plain returns a value as JSON, for comparisons.
func plain(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
