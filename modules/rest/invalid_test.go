package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// faults returns what a problem lists, a line each.
func faults(t *testing.T, body string) string {
	t.Helper()
	var lines []string
	for _, fault := range get(t, body, "errors").([]any) {
		f := fault.(map[string]any)
		lines = append(lines, fmt.Sprintf("%v: %v", f["pointer"], f["detail"]))
	}
	return strings.Join(lines, "\n")
}

func TestEverythingThatIsWrongWithABodyIsListedInItsOrder(t *testing.T) {
	const good = `"name":"a","transport_type":"STDIO","connection_config":{"command":"cat"}`
	for name, tt := range map[string]struct{ method, body, want string }{
		"nothing in it": {
			http.MethodPost, `{}`,
			"/name: is missing: give the server a name\n/transport_type: is missing: use STDIO, SSE or HTTP\n/connection_config: is missing",
		},
		"not an object":    {http.MethodPost, `[]`, ": is an array: make it an object"},
		"a null":           {http.MethodPost, `null`, ": is null: leave it out, or make it an object"},
		"unknown members":  {http.MethodPost, `{` + good + `,"a/b~":1}`, "/a~1b~0: is unknown: use auto_connect, connection_config, description, health_check_url, name, transport_type"},
		"members twice":    {http.MethodPost, `{"n\u0061me":"b",` + good + `}`, "/name: appears twice: leave one out"},
		"a null member":    {http.MethodPost, `{` + good + `,"description":null}`, "/description: is null: leave it out, or make it a string"},
		"wrong types":      {http.MethodPost, `{"name":1,"transport_type":{},"connection_config":[],"auto_connect":"yes"}`, "/name: is a number: make it a string\n/transport_type: is an object: make it a string\n/connection_config: is an array: make it an object\n/auto_connect: is a string: make it a boolean"},
		"names by case":    {http.MethodPost, `{"Name":"a","transport_type":"STDIO","connection_config":{"command":"cat"}}`, "/Name: is unknown: use auto_connect, connection_config, description, health_check_url, name, transport_type\n/name: is missing"},
		"within a program": {http.MethodPost, `{"name":"a","transport_type":"STDIO","connection_config":{"args":["a",1,null],"env":{"A":1,"B":"x","B":"y"},"shell":true}}`, "/connection_config/args/1: is a number: make it a string\n/connection_config/args/2: is null: leave it out, or make it a string\n/connection_config/env/A: is a number: make it a string\n/connection_config/env/B: appears twice: leave one out\n/connection_config/shell: is unknown: use args, base_url, command, cwd, env, headers, url\n/connection_config/command: is missing: STDIO needs the program to run"},
		"both sorts in the body's order": {
			http.MethodPost, `{"health_check_url":"x","x":1,"connection_config":{"url":"y","headers":7},"transport_type":"SSE","name":"a.b"}`,
			"/health_check_url: is not an HTTP URL: begin it with https:// or http://\n/x: is unknown: use auto_connect, connection_config, description, health_check_url, name, transport_type\n" +
				"/connection_config/url: is not an HTTP URL: begin it with https:// or http://\n/connection_config/headers: is a number: make it an object\n/name: may have letters, digits, _ and - only, so that server.tool has one reading",
		},
		"both url and base_url":      {http.MethodPost, `{"name":"a","transport_type":"HTTP","connection_config":{"url":"http://x","base_url":"http://x"}}`, "/connection_config/base_url: is there together with url: leave one out"},
		"neither url nor base_url":   {http.MethodPost, `{"name":"a","transport_type":"HTTP","connection_config":{}}`, "/connection_config/base_url: is missing: HTTP needs the address of the server"},
		"a bad base_url":             {http.MethodPost, `{"name":"a","transport_type":"HTTP","connection_config":{"base_url":"x"}}`, "/connection_config/base_url: is not an HTTP URL: begin it with https:// or http://"},
		"base_url for SSE":           {http.MethodPost, `{"name":"a","transport_type":"SSE","connection_config":{"base_url":"http://x"}}`, "/connection_config/base_url: is not for SSE: call it url"},
		"base_url for a program":     {http.MethodPost, `{"name":"a","transport_type":"STDIO","connection_config":{"command":"c","base_url":"http://x"}}`, "/connection_config/base_url: is not for STDIO: leave it out, or change transport_type"},
		"a redacted secret":          {http.MethodPost, `{"name":"a","transport_type":"STDIO","connection_config":{"command":"c","env":{"A":"[redacted]"}}}`, "/connection_config/env/A: holds [redacted], which stands for a secret that is not shown: give the secret"},
		"a number for an integer":    {http.MethodPost, `{` + good + `,"auto_connect":1e400}`, "/auto_connect: is a number: make it a boolean"},
		"deep unknown members":       {http.MethodPost, `{` + good + `,"x":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, "/x: is unknown: use auto_connect, connection_config, description, health_check_url, name, transport_type"},
		"a change to a wrong type":   {http.MethodPatch, `{"name":true,"connection_config":{"command":"c"}}`, "/name: is a boolean: make it a string"},
		"a change to null":           {http.MethodPatch, `{"connection_config":null}`, "/connection_config: is null: leave it out, or make it an object"},
		"a change of nothing known":  {http.MethodPatch, `{"id":"x"}`, "/id: is unknown: use auto_connect, connection_config, description, health_check_url, name, transport_type"},
		"a transport and no address": {http.MethodPatch, `{"transport_type":"HTTP"}`, "/connection_config: is missing: the one that the server has is not for HTTP"},
		"a redacted stranger":        {http.MethodPatch, `{"connection_config":{"command":"c","env":{"NEW":"[redacted]"}}}`, "/connection_config/env/NEW: holds [redacted], which stands for a secret that is not shown: give the secret"},
	} {
		t.Run(name, func(t *testing.T) {
			path := records
			if tt.method == http.MethodPatch {
				path += "/" + githubID
			}
			got := send(t, newFakes().start(t), tt.method, path, tt.body)
			if got.status != http.StatusUnprocessableEntity || get(t, got.body, "code") != "invalid_request" {
				t.Fatalf("%d %s", got.status, got.body)
			}
			if diff := cmp.Diff(tt.want, faults(t, got.body)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestNoMoreIsListedThanSomebodyReads(t *testing.T) {
	got := send(t, newFakes().start(t), http.MethodPost, records, `{`+strings.Repeat(`"x":1,`, 100_000)+`"y":1}`)
	if n := len(get(t, got.body, "errors").([]any)); got.status != http.StatusUnprocessableEntity || n > 1010 {
		t.Errorf("status %d, %d errors", got.status, n)
	}
}

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
