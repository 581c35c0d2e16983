package servers_test

import (
	"testing"

	"mcp-aggregator/modules/servers"
)

func TestSameTarget(t *testing.T) {
	one := servers.Server{Name: "a", Transport: servers.Stdio, Connection: servers.Connection{
		Command: "c", Args: []string{"x"}, Env: map[string]string{"A": "1"},
	}}
	bare := servers.Server{Transport: servers.HTTP, Connection: servers.Connection{URL: "http://a"}}
	for name, tt := range map[string]struct {
		of     servers.Server
		change func(*servers.Server)
		same   bool
	}{
		"itself":               {one, func(*servers.Server) {}, true},
		"one of another name":  {one, func(s *servers.Server) { s.Name = "b" }, true},
		"another transport":    {bare, func(s *servers.Server) { s.Transport = servers.SSE }, false},
		"another command":      {one, func(s *servers.Server) { s.Connection.Command = "d" }, false},
		"other arguments":      {one, func(s *servers.Server) { s.Connection.Args = []string{"y"} }, false},
		"another folder":       {one, func(s *servers.Server) { s.Connection.Cwd = "/" }, false},
		"another environment":  {one, func(s *servers.Server) { s.Connection.Env = nil }, false},
		"another address":      {bare, func(s *servers.Server) { s.Connection.URL = "http://b" }, false},
		"other headers":        {bare, func(s *servers.Server) { s.Connection.Headers = map[string]string{"A": "1"} }, false},
		"nothing, written out": {bare, func(s *servers.Server) { s.Connection.Args, s.Connection.Env = []string{}, map[string]string{} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			other := tt.of
			tt.change(&other)
			if got := tt.of.SameTarget(other); got != tt.same {
				t.Errorf("same: %v", got)
			}
		})
	}
}
