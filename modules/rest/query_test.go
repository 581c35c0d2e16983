package rest_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestUnknownParametersAreRefusedWithTheNamesThatExist(t *testing.T) {
	address := newFakes().start(t)
	for request, want := range map[string]struct{ parameter, detail string }{
		"GET " + records + "?state=ERROR":                             {"state", "is unknown: use status"},
		"GET " + records + "?Status=ERROR":                            {"Status", "is unknown: use status"},
		"GET " + records + "/" + githubID + "?x":                      {"x", "is unknown: there are none"},
		"GET " + records + "/" + githubID + "/history?limit=1&from=1": {"from", "is unknown: use limit"},
		"GET /api/v1/tools?servers=all":                               {"servers", "is unknown: use available, server"},
		"GET /api/v1/tools/github.search?a=1":                         {"a", "is unknown: there are none"},
		"DELETE " + records + "/" + githubID + "?force=true":          {"force", "is unknown: there are none"},
		"GET /healthz?verbose":                                        {"verbose", "is unknown: there are none"},
	} {
		method, path, _ := strings.Cut(request, " ")
		got := send(t, address, method, path, "")
		if got.status != http.StatusUnprocessableEntity || get(t, got.body, "code") != "invalid_request" ||
			get(t, got.body, "errors", 0, "parameter") != want.parameter || get(t, got.body, "errors", 0, "detail") != want.detail {
			t.Errorf("%s: %d %s", request, got.status, got.body)
		}
	}
	for _, query := range []string{"?%zz", "?a;b", "?status=%"} {
		got := send(t, address, http.MethodGet, records+query, "")
		if got.status != http.StatusUnprocessableEntity || get(t, got.body, "errors", 0, "detail") != "the query cannot be read: write special characters as %XX" {
			t.Errorf("%s: %d %s", query, got.status, got.body)
		}
	}
}
