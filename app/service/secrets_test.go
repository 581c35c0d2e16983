package service_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

func TestAVariableThatIsNotSetIsNamed(t *testing.T) {
	s := start(t, testutil.Spawner{"a": withTools("x")})
	for transport, tt := range map[string]struct{ connection, place string }{
		"STDIO": {`{"command":"x","env":{"KEY":"${NOT_SET}"}}`, "connection_config.env.KEY"},
		"SSE":   {`{"url":"http://127.0.0.1:1","headers":{"Key":"${NOT_SET}"}}`, "connection_config.headers.Key"},
		"HTTP":  {`{"base_url":"http://127.0.0.1:1/${NOT_SET}"}`, "connection_config.url"},
	} {
		t.Run(transport, func(t *testing.T) {
			id := s.register(transport, transport, tt.connection).ID
			got := s.await(id, "ERROR")
			if !strings.Contains(got.Error, `"NOT_SET" is not set`) || !strings.Contains(got.Error, tt.place) {
				t.Errorf("it is %+v", got)
			}
			problem := s.api().refused(http.StatusServiceUnavailable, transport+".x", `{}`)
			if problem.ServerStatus != "ERROR" || !strings.Contains(problem.Detail, "NOT_SET") {
				t.Errorf("it is refused with %+v", problem)
			}
		})
	}
}

// leaking is a child that prints its secret and ends.
func leaking(_ context.Context, stdio testutil.Stdio) child.Exit {
	_, _ = io.WriteString(stdio.Err, "wrong key "+testutil.Canary+"!\n") // a reader that is gone hears nothing
	return "exit status 1"
}

// The log is searched for secrets by start; this test searches responses.
func TestSecretsAreShownNowhere(t *testing.T) {
	echoing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "wrong key "+r.Header.Get("Key"), http.StatusUnauthorized)
	}))
	defer echoing.Close()
	s := start(t, testutil.Spawner{"tells": leaking, "works": withTools("x")})
	var ids []string
	for name, tt := range map[string]struct{ transport, connection, status string }{
		"works": {"STDIO", `{"command":"x","args":["--token","` + testutil.Canary + `"],"env":{"A":"` + testutil.Canary + `","B":"${SECRET_WORD}"}}`, "CONNECTED"},
		"tells": {"STDIO", `{"command":"x","env":{"B":"${SECRET_WORD}"}}`, "ERROR"},
		"http":  {"HTTP", fmt.Sprintf(`{"base_url":%q,"headers":{"Key":"${SECRET_WORD}"}}`, echoing.URL+"/${SECRET_WORD}"), "ERROR"},
		"sse":   {"SSE", fmt.Sprintf(`{"url":%q,"headers":{"Key":%q}}`, echoing.URL, testutil.Canary), "ERROR"},
	} {
		id := s.register(name, tt.transport, tt.connection).ID
		s.await(id, tt.status)
		ids = append(ids, "/aggregator/servers/"+id, "/aggregator/servers/"+id+"/history")
		_, refused := s.rest(http.MethodPost, "/tools/call", `{"name":"`+name+`.none"}`)
		clean(t, name, refused)
	}
	for _, path := range append(ids, "/aggregator/servers", "/tools?available=all") {
		_, text := s.rest(http.MethodGet, path, "")
		clean(t, path, text)
	}
	c := s.connect("test", "{}")
	clean(t, "list_servers", c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_servers","arguments":{}}}`))
	clean(t, "a call", c.request(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"http.x","arguments":{}}}`))
}

func clean(t *testing.T, what, text string) {
	t.Helper()
	if text == "" || strings.Contains(text, testutil.Canary) {
		t.Errorf("%s: %q", what, text)
	}
}
