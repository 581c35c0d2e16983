package rest_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcp-aggregator/modules/profiles"
	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/search"
	"mcp-aggregator/modules/servers"
)

type fakeServers struct {
	ServersFn  func() []servers.Server
	ServerFn   func(id string) (servers.Server, error)
	RegisterFn func(ctx context.Context, d servers.Draft) (servers.Server, error)
	ChangeFn   func(ctx context.Context, id string, c servers.Change) (servers.Server, error)
	RemoveFn   func(ctx context.Context, id string) error
}

func (f *fakeServers) Servers() []servers.Server                { return f.ServersFn() }
func (f *fakeServers) Server(id string) (servers.Server, error) { return f.ServerFn(id) }
func (f *fakeServers) Register(ctx context.Context, d servers.Draft) (servers.Server, error) {
	return f.RegisterFn(ctx, d)
}

func (f *fakeServers) Change(ctx context.Context, id string, c servers.Change) (servers.Server, error) {
	return f.ChangeFn(ctx, id, c)
}
func (f *fakeServers) Remove(ctx context.Context, id string) error { return f.RemoveFn(ctx, id) }

type fakeConnections struct {
	ConnectFn    func(ctx context.Context, id string) (servers.Status, error)
	DisconnectFn func(ctx context.Context, id string) (int, error)
	HistoryFn    func(ctx context.Context, id string, limit int) ([]servers.Event, error)
}

func (f *fakeConnections) Connect(ctx context.Context, id string) (servers.Status, error) {
	return f.ConnectFn(ctx, id)
}

func (f *fakeConnections) Disconnect(ctx context.Context, id string) (int, error) {
	return f.DisconnectFn(ctx, id)
}

func (f *fakeConnections) History(ctx context.Context, id string, limit int) ([]servers.Event, error) {
	return f.HistoryFn(ctx, id, limit)
}

type fakeTools struct {
	ToolsFn func(ctx context.Context) ([]servers.Tool, error)
	CallFn  func(ctx context.Context, c rest.Call) (rest.Answer, error)
	version atomic.Uint64
}

func (f *fakeTools) Version() uint64 { return f.version.Load() }

func (f *fakeTools) Tools(ctx context.Context) ([]servers.Tool, error) { return f.ToolsFn(ctx) }
func (*fakeTools) Unknown(name string, among []servers.Tool) error {
	e := &servers.UnknownToolError{Name: name, Hint: "; there are others"}
	for i := range among {
		e.Nearest = append(e.Nearest, among[i].Namespaced)
	}
	return e
}

func (f *fakeTools) Call(ctx context.Context, c rest.Call) (rest.Answer, error) {
	return f.CallFn(ctx, c)
}

// fakeProfiles are profiles in memory. Its error, if set, is that of all changes.
type fakeProfiles struct {
	mu     sync.Mutex
	byName map[string]profiles.Profile
	err    error
}

func (f *fakeProfiles) Profiles() []profiles.Profile {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.SortedFunc(maps.Values(f.byName), func(a, b profiles.Profile) int { return strings.Compare(a.Name, b.Name) })
}

func (f *fakeProfiles) Profile(name string) (profiles.Profile, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, found := f.byName[name]
	return p, found
}

func (f *fakeProfiles) Create(_ context.Context, p profiles.Profile) (profiles.Profile, error) {
	_, taken := f.Profile(p.Name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if taken {
		return p, fmt.Errorf("the store: %w", profiles.ErrNameTaken)
	}
	p.CreatedAt, p.UpdatedAt = noon, noon
	f.byName[p.Name] = p
	return p, f.err
}

func (f *fakeProfiles) Change(_ context.Context, name string, c profiles.Change) (profiles.Profile, error) {
	p, found := f.Profile(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !found {
		return p, profiles.ErrUnknown
	}
	f.byName[name] = c.Apply(p)
	return f.byName[name], f.err
}

func (f *fakeProfiles) Remove(_ context.Context, name string) error {
	_, found := f.Profile(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	if !found {
		return profiles.ErrUnknown
	}
	delete(f.byName, name)
	return f.err
}

type fakeReadiness struct{ ReadyFn func(context.Context) error }

func (f fakeReadiness) Ready(ctx context.Context) error { return f.ReadyFn(ctx) }

// The initial records of fakes.
const (
	githubID = "4f8d1c86-3f0e-4a3c-9c55-8a3a4e1b6f10"
	filesID  = "0d5d9a3c-7a44-4a0b-8f0e-0f0a6c1b2d3e"
	secret   = "ghp_0123456789abcdef"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.FixedZone("CET", 3600))

// github is connected and has secrets; files is not connected.
func github() servers.Server {
	return servers.Server{
		ID: githubID, Name: "github", Transport: servers.Stdio, AutoConnect: true, Wanted: true,
		Connection: servers.Connection{
			Command: "npx", Args: []string{"-y", "server", "--token", secret, "--key=" + secret},
			Env: map[string]string{"TOKEN": secret, "REFERENCE": "${TOKEN}", "EMPTY": ""},
		},
		Status: servers.Connected, ToolCount: 2, RegisteredAt: noon, ConnectedAt: noon, UpdatedAt: noon,
	}
}

func files() servers.Server {
	return servers.Server{
		ID: filesID, Name: "files", Description: "All files", Transport: servers.HTTP,
		Connection: servers.Connection{
			URL:     "https://example.com/mcp?api_key=" + secret + "&v=1",
			Headers: map[string]string{"Authorization": "Bearer " + secret, "X-Token": "Bearer ${TOKEN}"},
		},
		HealthCheckURL: "https://example.com/health?token=" + secret,
		Status:         servers.Errored, Error: "it is down", ToolCount: 1, RegisteredAt: noon, UpdatedAt: noon,
	}
}

func storedTools() []servers.Tool {
	return []servers.Tool{
		{Server: githubID, Name: "search", Namespaced: "github.search", Description: "<b>", InputSchema: []byte(`{ "maximum": 1e400 }`), Definition: []byte(`{"name":"search", "inputSchema":{ "maximum": 1e400 }}`)},
		{Server: githubID, Name: "a/b c", Namespaced: "github.a/b c", Definition: []byte(`{"name":"a/b c"}`)},
		{Server: filesID, Name: "read", Namespaced: "files.read", InputSchema: []byte(`{}`), Definition: []byte(`{"name":"read","inputSchema":{}}`)},
	}
}

// fakes are the dependencies of an API.
type fakes struct {
	servers     *fakeServers
	connections *fakeConnections
	tools       *fakeTools
	profiles    *fakeProfiles
	search      engine
	readiness   fakeReadiness
	log         io.Writer
	options     rest.Options
	bodyFails   error // the error that reading a body returns
}

// newFakes returns fakes that hold two servers, which do not change, and a profile.
// engine implements rest.Search without learning.
type engine struct{ *search.Engine }

func (e engine) Search(ctx context.Context, _ string, q search.Query) (search.Results, error) {
	return e.Engine.Search(ctx, q)
}

func newFakes() *fakes {
	known := []servers.Server{github(), files()}
	find := func(id string) (servers.Server, error) {
		for _, s := range known {
			if s.ID == id {
				return s, nil
			}
		}
		return servers.Server{}, servers.ErrUnknown
	}
	f := &fakes{log: io.Discard, options: rest.Options{Version: "1.2.3"}}
	f.servers = &fakeServers{
		ServersFn: func() []servers.Server { return known },
		ServerFn:  find,
		RegisterFn: func(_ context.Context, d servers.Draft) (servers.Server, error) {
			return servers.Server{
				ID: "5a0c6ca5-47a6-4f57-a7d5-3f2ab0a4d1c9", Name: d.Name, Description: d.Description, Transport: d.Transport,
				Connection: d.Connection, AutoConnect: d.AutoConnect, HealthCheckURL: d.HealthCheckURL,
				Status: servers.Connecting, RegisteredAt: noon, UpdatedAt: noon,
			}, nil
		},
		ChangeFn: func(_ context.Context, id string, _ servers.Change) (servers.Server, error) { return find(id) },
		RemoveFn: func(_ context.Context, id string) error { _, err := find(id); return err },
	}
	f.connections = &fakeConnections{
		ConnectFn: func(_ context.Context, id string) (servers.Status, error) {
			_, err := find(id)
			return servers.Connecting, err
		},
		DisconnectFn: func(_ context.Context, id string) (int, error) { _, err := find(id); return 0, err },
		HistoryFn: func(_ context.Context, id string, limit int) ([]servers.Event, error) {
			return []servers.Event{{Server: id, Kind: servers.EventConnected, Details: "2 tools", At: noon}}[:min(limit, 1)], nil
		},
	}
	f.tools = &fakeTools{
		ToolsFn: func(context.Context) ([]servers.Tool, error) { return storedTools(), nil },
		CallFn: func(context.Context, rest.Call) (rest.Answer, error) {
			return rest.Answer{Result: []byte(`{"content":[]}`), RoutedTo: "github", Routing: 1500 * time.Microsecond, Execution: time.Second}, nil
		},
	}
	f.profiles = &fakeProfiles{byName: map[string]profiles.Profile{"readers": {Name: "readers", Mode: profiles.Full, CreatedAt: noon, UpdatedAt: noon}}}
	f.search = engine{search.NewEngine(nil, slog.New(slog.DiscardHandler), search.Options{})}
	f.search.Replace("github", indexedTools())
	f.search.Replace("files", []search.Tool{{Name: "files.read", OriginalName: "read", Description: "Reads an issue of a magazine", Server: "files", ServerID: filesID}})
	f.readiness = fakeReadiness{func(context.Context) error { return nil }}
	return f
}

// tester is implemented by *testing.T and *rapid.T.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// api returns an API with the fakes.
func (f *fakes) api() *rest.API {
	log := slog.New(slog.NewJSONHandler(f.log, nil))
	return rest.New(f.deps(), log, f.options)
}

func (f *fakes) deps() rest.Deps {
	return rest.Deps{
		Servers: f.servers, Connections: f.connections, Tools: f.tools, Search: f.search, Profiles: f.profiles, Readiness: f.readiness,
	}
}
