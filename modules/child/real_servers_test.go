//go:build unix

package child_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/testutil"
)

// testTimeout bounds the wait of a test for what must happen.
const testTimeout = time.Minute

// helperSecret is a secret of every server.
const helperSecret = testutil.Canary + " of an actor"

// realServers starts real processes that carry a mark.
type realServers struct {
	t    *testing.T
	mark *testutil.Marker
	*eventLog
}

// newRealServers fails the test if a marked process is left at its end.
func newRealServers(t *testing.T) *realServers {
	t.Helper()
	return &realServers{t, testutil.Mark(t), newEventLog()}
}

// server is a server with a behavior and a secret.
func (s *realServers) server(key, behavior string) config.ServerConfig {
	return config.ServerConfig{Key: key, Command: os.Args[0], Secrets: []string{helperSecret}, Env: []config.Var{
		{Name: helperVariable, Value: behavior},
		{Name: "PASSWORD", Value: helperSecret},
		{Name: "GORACE", Value: "atexit_sleep_ms=0"}, // or every exit takes a second
	}}
}

// inShell is such a server within a shell that does not exec it.
func (s *realServers) inShell(key, behavior string) config.ServerConfig {
	server := s.server(key, behavior)
	server.Command, server.Args = "/bin/sh", []string{"-c", `"$0"; true`, os.Args[0]}
	return server
}

// spawner starts real processes with the inherited part of our environment, and the mark.
func (s *realServers) spawner() child.Spawner {
	env := config.NewEnv(append(os.Environ(), s.mark.Entry()))
	return s.watch(child.NewOSSpawner(child.NewEnvironment(env, config.Chain{}, false)))
}

// start starts the servers and waits until they have settled.
func (s *realServers) start(o child.Options, servers ...config.ServerConfig) *testManager {
	s.t.Helper()
	c := startServers(s.t, s.spawner(), o, servers...)
	c.initializeAll()
	return c
}

// wantNoProcess fails the test if marked processes stay.
func (s *realServers) wantNoProcess() {
	s.t.Helper()
	s.eventually("every process is gone", func() bool { return len(s.mark.Alive()) == 0 })
}

func (s *realServers) eventually(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(testTimeout); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Errorf("never: %s", what)
			return
		}
	}
}

// result returns the result of a tool of the child.
func result[T any](c *testManager, key, tool string) (value T) {
	c.t.Helper()
	line := c.callTool(key, tool).await(c.t)
	var answer struct{ Result T }
	if err := json.NewDecoder(bytes.NewReader([]byte(line))).Decode(&answer); err != nil || !strings.Contains(line, `"result"`) {
		c.t.Fatalf("%s: %s", tool, line)
	}
	return answer.Result
}

// events returns what happened to one child, without the time.
func (s *realServers) events(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var events []string
	for _, e := range s.entries {
		if _, event, ok := strings.Cut(e, ": "+key+" "); ok {
			events = append(events, event)
		}
	}
	return strings.Join(events, ", ")
}
