package rest_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/servers"
)

// The list of the fakes' tools, with schemas and definitions byte for byte.
const (
	githubTools = `{"name":"github.search","original_name":"search","description":"<b>","available":true,"input_schema":{ "maximum": 1e400 }},` +
		`{"name":"github.a/b c","original_name":"a/b c","description":"","available":true}`
	githubGroup = `{"server_id":"` + githubID + `","server":"github","status":"CONNECTED","total":2,"tools":[` + githubTools + `]}`
	filesGroup  = `{"server_id":"` + filesID + `","server":"files","status":"ERROR","total":0,"tools":[{"name":"files.read","original_name":"read","description":"","available":false,"input_schema":{}}]}`
)

func TestToolsAreListedByServer(t *testing.T) {
	address := newFakes().start(t)
	for query, want := range map[string]string{
		"":                            `{"total":2,"servers":[` + githubGroup + `]}`,
		"?available=true":             `{"total":2,"servers":[` + githubGroup + `]}`,
		"?available=false":            `{"total":0,"servers":[` + filesGroup + `]}`,
		"?available=all":              `{"total":2,"servers":[` + githubGroup + `,` + filesGroup + `]}`,
		"?server=github":              `{"total":2,"servers":[` + githubGroup + `]}`,
		"?server=" + githubID:         `{"total":2,"servers":[` + githubGroup + `]}`,
		"?server=files":               `{"total":0,"servers":[]}`,
		"?server=files&available=all": `{"total":0,"servers":[` + filesGroup + `]}`,
		"?server=" + filesID:          `{"total":0,"servers":[]}`,
	} {
		if got := send(t, address, http.MethodGet, "/api/v1/tools"+query, ""); got.status != http.StatusOK || got.body != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got.body, want)
		}
	}
}

func TestToolsOfADegradedServerAreAvailable(t *testing.T) {
	for _, status := range []servers.Status{servers.Connecting, servers.Connected, servers.Degraded, servers.Disconnected, servers.Errored} {
		f := newFakes()
		f.servers.ServersFn = func() []servers.Server { return []servers.Server{{ID: githubID, Name: "github", Status: status}} }
		got := send(t, f.start(t), http.MethodGet, "/api/v1/tools", "").body
		if strings.HasPrefix(got, `{"total":2,`) != status.Live() {
			t.Errorf("%s: %s", status, got)
		}
	}
}

func TestAToolIsShownByItsName(t *testing.T) {
	address := newFakes().start(t)
	const slashed = `{"name":"github.a/b c","original_name":"a/b c","description":"","available":true,"server_id":"` + githubID + `","server":"github","status":"CONNECTED","definition":{"name":"a/b c"}}`
	for path, want := range map[string]string{
		"github.search":            `{"name":"github.search","original_name":"search","description":"<b>","available":true,"input_schema":{ "maximum": 1e400 },"server_id":"` + githubID + `","server":"github","status":"CONNECTED","definition":{"name":"search", "inputSchema":{ "maximum": 1e400 }}}`,
		"files.read":               `{"name":"files.read","original_name":"read","description":"","available":false,"input_schema":{},"server_id":"` + filesID + `","server":"files","status":"ERROR","definition":{"name":"read","inputSchema":{}}}`,
		"github.a%2Fb%20c":         slashed,
		"github.a/b%20c":           slashed,
		"%67ithub%2E%61%2F%62%20c": slashed,
	} {
		if got := send(t, address, http.MethodGet, "/api/v1/tools/"+path, ""); got.status != http.StatusOK || got.body != want {
			t.Errorf("%s: %d\n got %s\nwant %s", path, got.status, got.body, want)
		}
	}
}

func TestToolsMayHaveAnyName(t *testing.T) {
	for path, name := range map[string]string{
		"s.%2F%2F": "s.//", "%2E%2E": "..", "s.%00": "s.\x00", "s.%E2%98%83%3F%23": "s.☃?#", "s.%25": "s.%", "call": "call", "s.a+b": "s.a+b",
	} {
		f := newFakes()
		f.tools.ToolsFn = toolsNamed(name)
		if got := send(t, f.start(t), http.MethodGet, "/api/v1/tools/"+path, ""); got.status != http.StatusOK || get(t, got.body, "name") != name {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestAToolWhoseServerWasRemovedIsUnknown(t *testing.T) {
	f := newFakes()
	f.servers.ServerFn = func(string) (servers.Server, error) { return servers.Server{}, servers.ErrUnknown }
	if got := send(t, f.start(t), http.MethodGet, "/api/v1/tools/github.search", ""); got.status != http.StatusNotFound || get(t, got.body, "code") != "unknown_tool" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// Concurrent requests share one list, which is read and rendered once.
func TestTheListIsMadeOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakes()
		reads, release := 0, make(chan struct{})
		f.tools.ToolsFn = func(context.Context) ([]servers.Tool, error) {
			reads++
			<-release
			return storedTools(), nil
		}
		api := f.api()
		ask := func(ctx context.Context, want string) {
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/v1/tools?available=all", http.NoBody))
			if got := w.Body.String(); !strings.Contains(got, want) {
				t.Errorf("the answer is %s", got)
			}
		}
		const all = `{"total":2,"servers":[` + githubGroup + `,` + filesGroup + `]}`
		leaves, leave := context.WithCancel(t.Context())
		go ask(leaves, "") // the first request, which builds the list
		synctest.Wait()
		for range 9 {
			go ask(t.Context(), all)
		}
		leave()
		synctest.Wait()
		close(release)
		synctest.Wait()
		ask(t.Context(), all)
		if reads != 1 {
			t.Errorf("it was read %d times", reads)
		}
		f.tools.version.Add(1)
		ask(t.Context(), all)
		if reads != 2 {
			t.Errorf("with a change, it was read %d times", reads)
		}
	})
}

func TestAListThatCannotBeReadIsTriedAgain(t *testing.T) {
	f := newFakes()
	f.tools.ToolsFn = func(context.Context) ([]servers.Tool, error) {
		return nil, &servers.StoreError{Err: errors.New("away")}
	}
	address := f.start(t)
	if got := send(t, address, http.MethodGet, "/api/v1/tools", ""); got.status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", got.status, got.body)
	}
	f.tools.ToolsFn = func(context.Context) ([]servers.Tool, error) { return storedTools(), nil }
	if got := send(t, address, http.MethodGet, "/api/v1/tools", ""); got.status != http.StatusOK {
		t.Errorf("%d %s", got.status, got.body)
	}
}
