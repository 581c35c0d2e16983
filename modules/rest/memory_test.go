package rest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/servers"
)

// newMemory returns fakes that store what is registered, and whose calls fail in every
// possible way, by the name of the tool.
func newMemory() *fakes {
	f := newFakes()
	known := []servers.Server{github(), files()}
	find := func(id string) (int, error) {
		i := slices.IndexFunc(known, func(s servers.Server) bool { return s.ID == id })
		if i < 0 {
			return i, servers.ErrUnknown
		}
		return i, nil
	}
	taken := func(name, id string) bool {
		return slices.ContainsFunc(known, func(s servers.Server) bool { return s.Name == name && s.ID != id })
	}
	f.servers.ServersFn = func() []servers.Server { return slices.Clone(known) }
	f.servers.ServerFn = func(id string) (servers.Server, error) {
		i, err := find(id)
		if err != nil {
			return servers.Server{}, err
		}
		return known[i], nil
	}
	f.servers.RegisterFn = func(_ context.Context, d servers.Draft) (servers.Server, error) {
		if taken(d.Name, "") {
			return servers.Server{}, servers.ErrNameTaken
		}
		s := servers.Server{
			ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", len(known)), Name: d.Name, Description: d.Description,
			Transport: d.Transport, Connection: d.Connection, AutoConnect: d.AutoConnect, HealthCheckURL: d.HealthCheckURL,
			Status: servers.Connecting, RegisteredAt: noon, UpdatedAt: noon,
		}
		known = append(known, s)
		return s, nil
	}
	f.servers.ChangeFn = func(_ context.Context, id string, c servers.Change) (servers.Server, error) {
		i, err := find(id)
		if err != nil {
			return servers.Server{}, err
		}
		if c.Name != nil && taken(*c.Name, id) {
			return servers.Server{}, servers.ErrNameTaken
		}
		if c.Connection != nil {
			known[i].Connection = *c.Connection
		}
		if c.Transport != nil {
			known[i].Transport = *c.Transport
		}
		return known[i], nil
	}
	f.servers.RemoveFn = func(_ context.Context, id string) error {
		i, err := find(id)
		if err == nil && i > 1 { // the first two are what the tools are of
			known = slices.Delete(known, i, i+1)
		}
		return err
	}
	f.tools.ToolsFn = toolsNamed("github.search", "github.a/b c")
	f.tools.CallFn = func(_ context.Context, c rest.Call) (rest.Answer, error) {
		if err := failures[c.Name]; err != nil {
			return rest.Answer{}, err
		}
		return rest.Answer{Result: []byte(`{"content":[{"type":"text","text":"x"}],"metadata":7}`), RoutedTo: "github"}, nil
	}
	return f
}

// failures are the errors of calls.
var failures = map[string]error{
	"unknown":   &servers.UnknownToolError{Name: "unknown"},
	"ambiguous": &servers.AmbiguousError{Name: "ambiguous", Candidates: []string{"a.x", "b.x"}},
	"down":      &servers.UnavailableError{Server: "files", Status: servers.Errored},
	"connects":  &servers.UnavailableError{Server: "files", Status: servers.Connecting},
	"refused":   &servers.RPCError{Server: "files", Raw: []byte(`{"code":1,"message":"m"}`)},
	"lost":      &servers.LostError{Server: "files", Reason: "r"},
	"late":      context.DeadlineExceeded,
	"server":    fmt.Errorf("x: %w", servers.ErrUnknown),
	"given up":  errors.Join(errors.New("x"), context.Canceled),
}
