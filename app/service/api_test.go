package service_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"mcp-aggregator/testutil/restclient"
)

// api is the generated client of the REST API.
type api struct {
	*restclient.ClientWithResponses

	t *testing.T
}

func (s *running) api() api {
	s.t.Helper()
	c, err := restclient.NewClientWithResponses(s.url)
	if err != nil {
		s.t.Fatal(err)
	}
	return api{c, s.t}
}

// answer is what every response of the generated client has.
type answer interface {
	StatusCode() int
	GetBody() []byte
}

// wanted fails the test unless the response has that status.
func wanted(t *testing.T, status int, response answer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode() != status {
		t.Fatalf("%d, want %d: %s", response.StatusCode(), status, response.GetBody())
	}
}

// register registers a server and returns its id.
func (a api) register(d restclient.Draft) string {
	a.t.Helper()
	response, err := a.RegisterServerWithResponse(a.t.Context(), d)
	wanted(a.t, http.StatusCreated, response, err)
	return response.JSON201.ID.String()
}

// call calls a tool, which must bring a result.
func (a api) call(name, arguments string) *restclient.Result {
	a.t.Helper()
	response, err := a.CallToolWithResponse(a.t.Context(), called(a.t, name, arguments))
	wanted(a.t, http.StatusOK, response, err)
	return response.JSON200
}

// refused calls a tool, which must bring that status.
func (a api) refused(status int, name, arguments string) *restclient.Problem {
	a.t.Helper()
	response, err := a.CallToolWithResponse(a.t.Context(), called(a.t, name, arguments))
	wanted(a.t, status, response, err)
	problem := decode[restclient.Problem](a.t, string(response.Body))
	return &problem
}

func called(t *testing.T, name, arguments string) restclient.Call {
	t.Helper()
	values := make(map[string]any)
	if err := json.Unmarshal([]byte(arguments), &values); err != nil {
		t.Fatal(err)
	}
	return restclient.Call{Name: name, Arguments: &values}
}

// recorded waits until that, the oldest first, is all that has happened to a server: it
// is shown before it is stored.
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
	response, err := a.GetHistoryWithResponse(a.t.Context(), id, nil)
	wanted(a.t, http.StatusOK, response, err)
	var kinds []string
	for _, event := range slices.Backward(response.JSON200.Events) {
		kinds = append(kinds, string(event.Event))
	}
	return kinds
}

// listed returns the names of all tools that can be called, of which there are as
// many as the totals say.
func (a api) listed() []string {
	a.t.Helper()
	response, err := a.ListToolsWithResponse(a.t.Context(), nil)
	wanted(a.t, http.StatusOK, response, err)
	names, sum := []string{}, int64(0)
	for _, group := range response.JSON200.Servers {
		sum += group.Total
		for _, tool := range group.Tools {
			if tool.Available {
				names = append(names, tool.Name)
			}
		}
	}
	if total := response.JSON200.Total; total != sum || total != int64(len(names)) {
		a.t.Errorf("the total is %d, the sum %d, and there are %d tools", total, sum, len(names))
	}
	return names
}

// plain is a value as JSON, by which results are compared.
func plain(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
