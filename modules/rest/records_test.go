package rest_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/modules/servers"
)

const records = "/api/v1/aggregator/servers"

func TestRegisteredServersAreWhatWasSent(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want servers.Draft
	}{
		"as little as there may be": {
			`{"name":"a","transport_type":"STDIO","connection_config":{"command":"cat"}}`,
			servers.Draft{Name: "a", Transport: servers.Stdio, Connection: servers.Connection{Command: "cat"}, AutoConnect: true},
		},
		"all of a program": {
			`{"health_check_url":"http://x","auto_connect":false,"connection_config":{"command":"cat","args":["-n"],"env":{"A":"${B}"},"cwd":"/"},"transport_type":"STDIO","description":"d\u00e9","name":"a"}`,
			servers.Draft{
				Name: "a", Description: "dé", Transport: servers.Stdio, HealthCheckURL: "http://x",
				Connection: servers.Connection{Command: "cat", Args: []string{"-n"}, Env: map[string]string{"A": "${B}"}, Cwd: "/"},
			},
		},
		"SSE": {
			` {"name":"a","transport_type":"SSE","connection_config":{"url":"http://x/sse","headers":{"A":"b"}}} `,
			servers.Draft{Name: "a", Transport: servers.SSE, Connection: servers.Connection{URL: "http://x/sse", Headers: map[string]string{"A": "b"}}, AutoConnect: true},
		},
		"HTTP with base_url": {
			`{"name":"a","transport_type":"HTTP","connection_config":{"base_url":"http://x/mcp"}}`,
			servers.Draft{Name: "a", Transport: servers.HTTP, Connection: servers.Connection{URL: "http://x/mcp"}, AutoConnect: true},
		},
		"HTTP with url": {
			`{"name":"a","transport_type":"HTTP","connection_config":{"url":"http://x/mcp"}}`,
			servers.Draft{Name: "a", Transport: servers.HTTP, Connection: servers.Connection{URL: "http://x/mcp"}, AutoConnect: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			var got servers.Draft
			register := f.servers.RegisterFn
			f.servers.RegisterFn = func(ctx context.Context, d servers.Draft) (servers.Server, error) {
				got = d
				return register(ctx, d)
			}
			answer := send(t, f.start(t), http.MethodPost, records, tt.body)
			if answer.status != http.StatusCreated {
				t.Fatalf("status %d: %s", answer.status, answer.body)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if at := answer.header.Get("Location"); at != records+"/"+get(t, answer.body, "id").(string) {
				t.Errorf("its place is %q", at)
			}
		})
	}
}

// The order of members is that of the type.
func TestAServerAsItIsShown(t *testing.T) {
	address := newFakes().start(t)
	for id, want := range map[string]string{
		githubID: `{"id":"` + githubID + `","name":"github","description":"","transport_type":"STDIO",` +
			`"connection_config":{"command":"npx","args":["-y","server","--token","[redacted]","--key=[redacted]"],"env":{"EMPTY":"","REFERENCE":"${TOKEN}","TOKEN":"[redacted]"}},` +
			`"auto_connect":true,"health_check_url":"","status":"CONNECTED","tool_count":2,"error_message":"","last_health_check":null,` +
			`"registered_at":"2026-01-31T11:00:00Z","connected_at":"2026-01-31T11:00:00Z","updated_at":"2026-01-31T11:00:00Z"}`,
		filesID: `{"id":"` + filesID + `","name":"files","description":"All files","transport_type":"HTTP",` +
			`"connection_config":{"base_url":"https://example.com/mcp?api_key=[redacted]&v=1","headers":{"Authorization":"[redacted]","X-Token":"Bearer ${TOKEN}"}},` +
			`"auto_connect":false,"health_check_url":"https://example.com/health?token=[redacted]","status":"ERROR","tool_count":1,"error_message":"it is down","last_health_check":null,` +
			`"registered_at":"2026-01-31T11:00:00Z","connected_at":null,"updated_at":"2026-01-31T11:00:00Z"}`,
	} {
		if got := send(t, address, http.MethodGet, records+"/"+id, "").body; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestNoResponseShowsASecret(t *testing.T) {
	address := newFakes().start(t)
	for _, path := range []string{records, records + "/" + githubID, records + "/" + filesID, "/api/v1/tools?available=all"} {
		if got := send(t, address, http.MethodGet, path, ""); got.status != http.StatusOK || strings.Contains(got.body, secret) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	for _, body := range []string{`{"name":"` + secret + `."}`, `{"connection_config":{"command":["` + secret + `"],"url":"ftp://` + secret + `"}}`} {
		if got := send(t, address, http.MethodPatch, records+"/"+githubID, body); got.status != http.StatusUnprocessableEntity || strings.Contains(got.body, secret) {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

func TestServersAreListedByStatus(t *testing.T) {
	address := newFakes().start(t)
	for query, want := range map[string]string{
		"":                                   "github files",
		"?status=CONNECTED":                  "github",
		"?status=ERROR&status=CONNECTED":     "github files",
		"?status=DISCONNECTED,ERROR":         "files",
		"?status=DEGRADED":                   "",
		"?status=CONNECTED&status=CONNECTED": "github",
	} {
		got := send(t, address, http.MethodGet, records+query, "")
		var names []string
		for _, s := range get(t, got.body, "servers").([]any) {
			names = append(names, s.(map[string]any)["name"].(string))
		}
		if strings.Join(names, " ") != want || get(t, got.body, "total") != float64(len(names)) {
			t.Errorf("%s: %s", query, got.body)
		}
	}
}

func TestWhatAChangeChanges(t *testing.T) {
	keptEnv := map[string]string{"TOKEN": secret, "NEW": "x"}
	for name, tt := range map[string]struct {
		id, body string
		want     servers.Change
	}{
		"nothing": {githubID, `{}`, servers.Change{}},
		"a name":  {githubID, `{"name":"b"}`, servers.Change{Name: new("b")}},
		"everything": {
			githubID, `{"name":"b","description":"","transport_type":"SSE","connection_config":{"url":"http://x"},"auto_connect":false,"health_check_url":""}`,
			servers.Change{
				Name: new("b"), Description: new(""), Transport: new(servers.SSE), Connection: &servers.Connection{URL: "http://x"},
				AutoConnect: new(false), HealthCheckURL: new(""),
			},
		},
		"what was shown keeps its secrets": {
			githubID, `{"connection_config":{"command":"npx","args":["--key=[redacted]","--token","[redacted]"],"env":{"TOKEN":"[redacted]","NEW":"x"}}}`,
			servers.Change{Connection: &servers.Connection{Command: "npx", Args: []string{"--key=" + secret, "--token", secret}, Env: keptEnv}},
		},
		"addresses that were shown keep their secrets": {
			filesID, `{"connection_config":{"base_url":"https://example.com/mcp?api_key=[redacted]&v=1","headers":{"Authorization":"[redacted]"}},"health_check_url":"https://example.com/health?token=[redacted]"}`,
			servers.Change{
				Connection:     &servers.Connection{URL: files().Connection.URL, Headers: map[string]string{"Authorization": "Bearer " + secret}},
				HealthCheckURL: new(files().HealthCheckURL),
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			var got servers.Change
			f.servers.ChangeFn = func(_ context.Context, id string, c servers.Change) (servers.Server, error) {
				got = c
				return f.servers.ServerFn(id)
			}
			answer := send(t, f.start(t), http.MethodPatch, records+"/"+tt.id, tt.body)
			if answer.status != http.StatusOK {
				t.Fatalf("status %d: %s", answer.status, answer.body)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestConnectingAndDisconnecting(t *testing.T) {
	for name, tt := range map[string]struct {
		status servers.Status
		action string
		want   string
	}{
		"a server that is not connected":     {servers.Disconnected, "connect", `{"status":"CONNECTING","message":"Connection initiated"}`},
		"a server that failed":               {servers.Errored, "connect", `{"status":"CONNECTING","message":"Connection initiated"}`},
		"a server that is connecting":        {servers.Connecting, "connect", `{"status":"CONNECTING","message":"Connection initiated"}`},
		"a connected server":                 {servers.Connected, "connect", `{"status":"CONNECTED","message":"Already connected"}`},
		"a server that is connected somehow": {servers.Degraded, "connect", `{"status":"DEGRADED","message":"Already connected"}`},
		"a server to disconnect":             {servers.Connected, "disconnect", `{"status":"DISCONNECTED","pending_requests":3}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakes()
			f.servers.ServerFn = func(id string) (servers.Server, error) {
				return servers.Server{ID: id, Status: tt.status}, nil
			}
			var connected string
			f.connections.ConnectFn = func(_ context.Context, id string) (servers.Status, error) {
				connected = id
				return servers.Connecting, nil
			}
			f.connections.DisconnectFn = func(context.Context, string) (int, error) { return 3, nil }
			got := send(t, f.start(t), http.MethodPost, records+"/"+githubID+"/"+tt.action, "")
			if got.status != http.StatusOK || got.body != tt.want {
				t.Errorf("%d %s, want %s", got.status, got.body, tt.want)
			}
			if tt.action == "connect" && connected != githubID {
				t.Errorf("%q was connected", connected)
			}
		})
	}
}

func TestAServerOfAnotherReplicaIsNotSaidToConnect(t *testing.T) {
	f := newFakes()
	f.servers.ServerFn = func(id string) (servers.Server, error) {
		return servers.Server{ID: id, Status: servers.Disconnected, Error: "another replica runs it"}, nil
	}
	f.connections.ConnectFn = func(context.Context, string) (servers.Status, error) { return servers.Disconnected, nil }
	got := send(t, f.start(t), http.MethodPost, records+"/"+githubID+"/connect", "")
	if want := `{"status":"DISCONNECTED","message":"another replica runs it"}`; got.status != http.StatusOK || got.body != want {
		t.Errorf("%d %s, want %s", got.status, got.body, want)
	}
}

func TestAHistoryHasAsManyEventsAsAreAskedFor(t *testing.T) {
	for query, want := range map[string]int{"": 100, "?limit=1": 1, "?limit=1000": 1000} {
		f := newFakes()
		asked := 0
		history := f.connections.HistoryFn
		f.connections.HistoryFn = func(ctx context.Context, id string, limit int) ([]servers.Event, error) {
			asked = limit
			return history(ctx, id, limit)
		}
		got := send(t, f.start(t), http.MethodGet, records+"/"+githubID+"/history"+query, "")
		const body = `{"server_id":"` + githubID + `","events":[{"event":"CONNECTED","details":"2 tools","at":"2026-01-31T11:00:00Z"}],"total":1}`
		if got.body != body || asked != want {
			t.Errorf("%s: %d were asked for: %s", query, asked, got.body)
		}
	}
}

func TestRemovingAnswersWithNothing(t *testing.T) {
	got := send(t, newFakes().start(t), http.MethodDelete, records+"/"+githubID, "")
	if got.status != http.StatusNoContent || got.body != "" {
		t.Errorf("%d %q", got.status, got.body)
	}
}
