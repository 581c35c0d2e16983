package rest_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/servers"
)

func TestHeadersOfProblems(t *testing.T) {
	connecting := callFails(&servers.UnavailableError{Server: "files", Status: servers.Connecting})
	later := callFails(&servers.UnavailableError{Server: "files", Status: servers.Connecting, Next: 12300 * time.Millisecond})
	failed := callFails(&servers.UnavailableError{Server: "files", Status: servers.Errored})
	for name, tt := range map[string]struct {
		fake                       func(*fakes)
		method, path, header, want string
	}{
		"who lacks a token is told which":           {withToken, "GET", records, "WWW-Authenticate", `Bearer realm="mcp-aggregator"`},
		"a server that connects is worth a retry":   {connecting, "POST", callPath, "Retry-After", "5"},
		"and later, if it is connected later":       {later, "POST", callPath, "Retry-After", "13"},
		"a server that failed is not":               {failed, "POST", callPath, "Retry-After", ""},
		"the methods that a path takes are told":    {nil, "PUT", records, "Allow", "GET, HEAD, POST"},
		"those of a call, which is a tool's name":   {nil, "DELETE", callPath, "Allow", "GET, HEAD, POST"},
		"nothing is kept by anybody on the way":     {nil, "GET", records, "Cache-Control", "no-store"},
		"nobody guesses what a body is":             {nil, "GET", "/nothing", "X-Content-Type-Options", "nosniff"},
		"nothing is allowed where there is no path": {nil, "PUT", "/nothing", "Allow", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			if tt.fake != nil {
				tt.fake(f)
			}
			body := ""
			if tt.path == callPath {
				body = goodCall
			}
			if got := f.request(t, tt.method, tt.path, body, nil); got.header.Get(tt.header) != tt.want {
				t.Errorf("%d, %s: %q, want %q", got.status, tt.header, got.header.Get(tt.header), tt.want)
			}
		})
	}
}

func TestWhatFailsInsideIsLogged(t *testing.T) {
	for _, name := range []string{"a store that fails", "a panic", "a service that is not ready"} {
		var log bytes.Buffer
		tt, f := problems[name], newFakes()
		tt.fake(f)
		f.log = &log
		f.request(t, tt.method, tt.path, tt.body, nil)
		if text := log.String(); !strings.Contains(text, secret) || strings.Count(text, "\n") != 1 {
			t.Errorf("%s is logged as %q", name, text)
		}
	}
}

func TestTheServiceTellsHowItIs(t *testing.T) {
	f := newFakes()
	withToken(f)
	for path, want := range map[string]string{"/healthz": `{"status":"ok"}`, "/readyz": `{"status":"ready"}`} {
		if got := f.request(t, http.MethodGet, path, "", nil); got.status != http.StatusOK || got.body != want {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}
