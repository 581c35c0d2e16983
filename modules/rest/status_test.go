package rest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/servers"
)

const (
	goodDraft = `{"name":"a","transport_type":"STDIO","connection_config":{"command":"cat"}}`
	goodCall  = `{"name":"github.search"}`
	callPath  = "/api/v1/tools/call"

	goodProfile = `{"name":"a","mode":"lean","allow":["github.*"]}`
	views       = "/api/v1/profiles"
)

// callFails makes every call fail with err.
func callFails(err error) func(*fakes) {
	return func(f *fakes) {
		f.tools.CallFn = func(context.Context, rest.Call) (rest.Answer, error) { return rest.Answer{}, err }
	}
}

// problems has a request for each problem.
var problems = map[string]struct {
	fake               func(*fakes) // may be nil
	method, path, body string
	edit               func(*http.Request) // may be nil
	code               string
	members            map[string]any // the expected members of the problem
}{
	"a body that is no JSON":       {nil, "POST", records, `{"name":`, nil, "invalid_json", map[string]any{"detail": "the body is not JSON at byte 8: unexpected end"}},
	"an empty body":                {nil, "POST", callPath, ` `, nil, "invalid_json", nil},
	"a body with something behind": {nil, "POST", records, goodDraft + `{}`, nil, "invalid_json", nil},
	"a body that is not UTF-8":     {nil, "POST", callPath, "{\"name\":\"\xff\"}", nil, "invalid_json", map[string]any{"detail": "the body is not valid UTF-8"}},
	"a change that is no JSON":     {nil, "PATCH", records + "/" + githubID, `{`, nil, "invalid_json", nil},
	"a change of an unknown server": {
		nil, "PATCH", records + "/x", `{}`, nil, "unknown_server", map[string]any{"detail": "no server with that id"},
	},
	"an unknown server":                   {nil, "GET", records + "/" + "00000000-0000-0000-0000-000000000000", "", nil, "unknown_server", nil},
	"a server that is called by its name": {nil, "GET", records + "/github", "", nil, "unknown_server", nil},
	"an unknown server to remove":         {nil, "DELETE", records + "/x", "", nil, "unknown_server", nil},
	"an unknown server to connect":        {nil, "POST", records + "/x/connect", "", nil, "unknown_server", nil},
	"an unknown server to disconnect":     {nil, "POST", records + "/x/disconnect", "", nil, "unknown_server", nil},
	"the history of an unknown server":    {nil, "GET", records + "/x/history", "", nil, "unknown_server", nil},
	"the tools of an unknown server":      {nil, "GET", "/api/v1/tools?server=x", "", nil, "unknown_server", nil},
	"an unknown tool":                     {nil, "GET", "/api/v1/tools/github.nothing", "", nil, "unknown_tool", map[string]any{"detail": `unknown tool "github.nothing"; there are others`, "candidates": []any{"github.search", "github.a/b c", "files.read"}}},
	"a tool of no name":                   {nil, "GET", "/api/v1/tools/", "", nil, "unknown_tool", nil},
	"an unknown profile":                  {nil, "GET", views + "/x", "", nil, "unknown_profile", map[string]any{"detail": "no profile with that name"}},
	"a profile of no name":                {nil, "GET", views + "/", "", nil, "not_found", nil},
	"a change of an unknown profile":      {nil, "PATCH", views + "/x", `{}`, nil, "unknown_profile", nil},
	"an unknown profile to remove":        {nil, "DELETE", views + "/x", "", nil, "unknown_profile", nil},
	"a profile that is no JSON":           {nil, "POST", views, `{`, nil, "invalid_json", nil},
	"a profile that is too large":         {nil, "POST", views, goodProfile + strings.Repeat(" ", 1<<20), nil, "body_too_large", nil},
	"a name that another profile has": {
		nil, "POST", views, `{"name":"readers"}`, nil, "name_taken",
		map[string]any{"detail": "another profile has that name", "errors": []any{map[string]any{"pointer": "/name", "detail": "is another profile's: choose another"}}},
	},
	"one profile too many": {func(f *fakes) { f.profiles.err = profiles.ErrTooMany }, "POST", views, goodProfile, nil, "too_many_profiles", nil},
	"a profile that the registry refuses": {
		func(f *fakes) { f.profiles.err = servers.Problems{{Pointer: "/mode", Message: "is odd"}} }, "PATCH", views + "/readers", `{}`, nil, "invalid_request",
		map[string]any{"errors": []any{map[string]any{"pointer": "/mode", "detail": "is odd"}}},
	},
	"a database that does not take a profile": {
		func(f *fakes) { f.profiles.err = &servers.StoreError{Err: errors.New("disk full: " + secret)} }, "POST", views, goodProfile, nil, "not_ready", nil,
	},
	"an unknown path":                      {nil, "GET", "/api/v1/nothing", "", nil, "not_found", nil},
	"an unknown path outside":              {nil, "POST", "/", "", nil, "not_found", nil},
	"a method that the path does not take": {nil, "PUT", records, "", nil, "method_not_allowed", nil},
	"a method that a call does not take":   {nil, "DELETE", callPath, "", nil, "method_not_allowed", nil},
	"a method that no path takes":          {nil, "BREW", "/healthz", "", nil, "method_not_allowed", nil},
	"a status that is none":                {nil, "GET", records + "?status=CONNECTED,up", "", nil, "invalid_request", map[string]any{"errors": []any{map[string]any{"parameter": "status", "detail": "is unknown: use CONNECTING, CONNECTED, DEGRADED, DISCONNECTED or ERROR"}}}},
	"an empty status":                      {nil, "GET", records + "?status=", "", nil, "invalid_request", nil},
	"a limit of nothing":                   {nil, "GET", records + "/" + githubID + "/history?limit=0", "", nil, "invalid_request", nil},
	"a limit that is too large":            {nil, "GET", records + "/" + githubID + "/history?limit=1001", "", nil, "invalid_request", nil},
	"two limits":                           {nil, "GET", records + "/" + githubID + "/history?limit=1&limit=1", "", nil, "invalid_request", nil},
	"an availability that is none":         {nil, "GET", "/api/v1/tools?available=yes", "", nil, "invalid_request", nil},
	"two availabilities":                   {nil, "GET", "/api/v1/tools?available=true&available=all", "", nil, "invalid_request", nil},
	"two servers":                          {nil, "GET", "/api/v1/tools?server=a&server=b", "", nil, "invalid_request", nil},
	"a call without a name":                {nil, "POST", callPath, `{}`, nil, "invalid_request", map[string]any{"errors": []any{map[string]any{"pointer": "/name", "detail": "is missing"}}}},
	"a call with arguments that are no object": {
		nil, "POST", callPath, `{"name":"","arguments":[],"server_id":"","x":1}`, nil, "invalid_request",
		map[string]any{"errors": []any{
			map[string]any{"pointer": "/name", "detail": "is empty"},
			map[string]any{"pointer": "/arguments", "detail": "is an array: make it an object"},
			map[string]any{"pointer": "/server_id", "detail": "is empty"},
			map[string]any{"pointer": "/x", "detail": "is unknown: use arguments, name, server_id"},
		}},
	},
	"a call with null arguments":       {nil, "POST", callPath, `{"name":"a","arguments":null}`, nil, "invalid_request", nil},
	"a call with arguments twice":      {nil, "POST", callPath, `{"name":"a","arguments":{},"argument\u0073":{}}`, nil, "invalid_request", nil},
	"a body without a type":            {nil, "POST", records, goodDraft, func(r *http.Request) { r.Header.Del("Content-Type") }, "unsupported_media_type", nil},
	"a form":                           {nil, "POST", callPath, goodCall, withHeader("Content-Type", "application/x-www-form-urlencoded"), "unsupported_media_type", nil},
	"JSON in another character set":    {nil, "PATCH", records + "/" + githubID, `{}`, withHeader("Content-Type", "application/json; charset=latin1"), "unsupported_media_type", nil},
	"compressed JSON":                  {nil, "POST", callPath, goodCall, withHeader("Content-Encoding", "gzip"), "unsupported_media_type", nil},
	"a registration that is too large": {nil, "POST", records, goodDraft + strings.Repeat(" ", 1<<20), nil, "body_too_large", map[string]any{"detail": "the body is larger than 1 MiB"}},
	"a large one of unknown length": {
		nil, "PATCH", records + "/" + githubID, `{}` + strings.Repeat(" ", 1<<20), func(r *http.Request) { r.ContentLength = -1 }, "body_too_large", nil,
	},
	"a call that is too large": {nil, "POST", callPath, goodCall + strings.Repeat(" ", 64<<20), withHeader("Expect", "100-continue"), "body_too_large", map[string]any{"detail": "the body is larger than 64 MiB"}},
	"a name that another server has": {
		func(f *fakes) {
			f.servers.RegisterFn = func(context.Context, servers.Draft) (servers.Server, error) {
				return servers.Server{}, fmt.Errorf("the store: %w", servers.ErrNameTaken)
			}
		}, "POST", records, goodDraft, nil, "name_taken",
		map[string]any{"errors": []any{map[string]any{"pointer": "/name", "detail": "is another server's: choose another"}}},
	},
	"a new name that another server has": {
		func(f *fakes) {
			f.servers.ChangeFn = func(context.Context, string, servers.Change) (servers.Server, error) {
				return servers.Server{}, servers.ErrNameTaken
			}
		}, "PATCH", records + "/" + githubID, `{"name":"files"}`, nil, "name_taken", nil,
	},
	"a draft that the registry refuses": {
		func(f *fakes) {
			f.servers.RegisterFn = func(context.Context, servers.Draft) (servers.Server, error) {
				return servers.Server{}, servers.Problems{{Pointer: "/name", Message: "is reserved"}}
			}
		}, "POST", records, goodDraft, nil, "invalid_request",
		map[string]any{"errors": []any{map[string]any{"pointer": "/name", "detail": "is reserved"}}},
	},
	"a store that fails": {
		func(f *fakes) {
			f.tools.ToolsFn = func(context.Context) ([]servers.Tool, error) { return nil, errors.New("disk full: " + secret) }
		}, "GET", "/api/v1/tools", "", nil, "internal_error", map[string]any{"detail": "the service failed: see its log"},
	},
	"a database that fails": {
		func(f *fakes) {
			f.tools.ToolsFn = func(context.Context) ([]servers.Tool, error) {
				return nil, fmt.Errorf("x: %w", &servers.StoreError{Err: errors.New("disk full: " + secret)})
			}
		}, "GET", "/api/v1/tools", "", nil, "not_ready", map[string]any{"detail": "the database fails: see the log of the service"},
	},
	"a call that the server does not take": {
		callFails(&servers.UnavailableError{Server: "files", Status: servers.Connected, Reason: "the server answers with status 401"}), "POST", callPath, goodCall, nil, "server_unavailable",
		map[string]any{"server_status": "CONNECTED", "detail": `server "files" did not take the call: the server answers with status 401`},
	},
	"a panic": {
		func(f *fakes) { f.servers.ServersFn = func() []servers.Server { panic(secret) } },
		"GET", records, "", nil, "internal_error",
		map[string]any{"detail": "the service failed: see its log"},
	},
	"a call of an unknown tool":   {callFails(&servers.UnknownToolError{Name: "x", Nearest: []string{"a.x"}, Hint: "; nearest: a.x"}), "POST", callPath, goodCall, nil, "unknown_tool", map[string]any{"detail": `unknown tool "x"; nearest: a.x`, "candidates": []any{"a.x"}}},
	"a call to an unknown server": {callFails(servers.ErrUnknown), "POST", callPath, goodCall, nil, "unknown_server", nil},
	"a call of one of several tools": {
		callFails(&servers.AmbiguousError{Name: "x", Candidates: []string{"a.x", "b.x"}}), "POST", callPath, goodCall, nil, "ambiguous_tool",
		map[string]any{"candidates": []any{"a.x", "b.x"}},
	},
	"a call to a server that is not connected": {
		callFails(&servers.UnavailableError{Server: "files", Status: servers.Errored, Reason: "it is down"}), "POST", callPath, goodCall, nil, "server_unavailable",
		map[string]any{"server": "files", "server_status": "ERROR", "detail": `server "files" is not connected: its status is ERROR: it is down`},
	},
	"a call that the server refuses": {
		callFails(&servers.RPCError{Server: "files", Raw: []byte(`{"code":-32602,"message":"m"}`)}), "POST", callPath, goodCall, nil, "server_error",
		map[string]any{"server": "files", "error": map[string]any{"code": float64(-32602), "message": "m"}},
	},
	"a call whose outcome is unknown": {
		callFails(&servers.LostError{Server: "files", Reason: "it ended"}), "POST", callPath, goodCall, nil, "outcome_unknown", map[string]any{"server": "files"},
	},
	"a result that is not an object": {
		func(f *fakes) {
			f.tools.CallFn = func(context.Context, rest.Call) (rest.Answer, error) {
				return rest.Answer{Result: []byte(`[1]`), RoutedTo: "files"}, nil
			}
		}, "POST", callPath, goodCall, nil, "invalid_result", map[string]any{"server": "files", "result": []any{float64(1)}},
	},
	"a call that takes too long":     {callFails(fmt.Errorf("x: %w", context.DeadlineExceeded)), "POST", callPath, goodCall, nil, "timed_out", nil},
	"a call of a service that stops": {callFails(servers.ErrStopping), "POST", callPath, goodCall, nil, "stopping", nil},
	"a body without room": {
		bodyFails(&servers.BusyError{}), "POST", callPath, goodCall, nil, "busy",
		map[string]any{"detail": "the bodies of other requests leave no room for this one: send it again later"},
	},
	"a body that does not arrive": {bodyFails(os.ErrDeadlineExceeded), "POST", callPath, goodCall, nil, "request_timeout", nil},
	"a call that is given up":     {callFails(context.Canceled), "POST", callPath, goodCall, nil, "outcome_unknown", nil},
	"a service that is not ready": {
		func(f *fakes) { f.readiness.ReadyFn = func(context.Context) error { return errors.New(secret) } },
		"GET", "/readyz", "", nil, "not_ready", nil,
	},
	"no token":                 {withToken, "GET", records, "", nil, "unauthorized", nil},
	"a page of another site":   {nil, "POST", records, goodDraft, withHeader("Sec-Fetch-Site", "cross-site"), "cross_origin", nil},
	"a name of another site":   {nil, "GET", records, "", func(r *http.Request) { r.Host = "evil.example" }, "forbidden_host", nil},
	"the host that is no host": {nil, "GET", "/healthz", "", func(r *http.Request) { r.Host = "localhost.evil.example:8080" }, "forbidden_host", nil},
}

func withHeader(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// bodyFails makes reading the bodies of requests fail.
func bodyFails(err error) func(*fakes) { return func(f *fakes) { f.bodyFails = err } }

func withToken(f *fakes) { f.options.Token = "right" }

func TestEveryWayToFailIsAProblemWithItsCode(t *testing.T) {
	statuses, seen, document := rest.Codes(), map[string]bool{}, readContract(t, newFakes().start(t))
	for name, tt := range problems {
		seen[tt.code] = true
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			if tt.fake != nil {
				tt.fake(f)
			}
			got := f.request(t, tt.method, tt.path, tt.body, tt.edit)
			if kind := got.header.Get("Content-Type"); kind != "application/problem+json" {
				t.Fatalf("%d %s: %.300s", got.status, kind, got.body)
			}
			if code := get(t, got.body, "code"); code != tt.code || got.status != statuses[tt.code] || get(t, got.body, "status") != float64(got.status) {
				t.Errorf("%d %s, want %s", got.status, got.body, tt.code)
			}
			if op := document.find(tt.method, tt.path); op != nil {
				if breach := document.breach(t, *op, got.status, got.header, got.body); breach != "" {
					t.Errorf("it is not in the document: %s", breach)
				}
			}
			if title := get(t, got.body, "title"); title != http.StatusText(got.status) {
				t.Errorf("its title is %v", title)
			}
			for member, want := range tt.members {
				if diff := cmp.Diff(want, get(t, got.body, member)); diff != "" {
					t.Errorf("%s: -want +got\n%s", member, diff)
				}
			}
			if strings.Contains(got.body, secret) {
				t.Errorf("it shows what is for the log: %s", got.body)
			}
		})
	}
	for code := range statuses {
		if !seen[code] {
			t.Errorf("no request ends with %s", code)
		}
	}
}
