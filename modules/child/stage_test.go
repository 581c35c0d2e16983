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

// patience is how long a test waits for what has to happen sometime.
const patience = time.Minute

// secretOfActors is a secret of every actor.
const secretOfActors = testutil.Canary + " of an actor"

// stage starts real processes that carry a mark.
type stage struct {
	t    *testing.T
	mark *testutil.Marker
	*diary
}

// newStage makes sure that no marked process is left at the end of the test.
func newStage(t *testing.T) *stage {
	t.Helper()
	return &stage{t, testutil.Mark(t), newDiary()}
}

// actor is a server that performs an act, and that has a secret.
func (s *stage) actor(key, act string) config.ServerConfig {
	return config.ServerConfig{Key: key, Command: os.Args[0], Secrets: []string{secretOfActors}, Env: []config.Var{
		{Name: actVariable, Value: act},
		{Name: "PASSWORD", Value: secretOfActors},
		{Name: "GORACE", Value: "atexit_sleep_ms=0"}, // or every exit takes a second
	}}
}

// wrapped is an actor within a shell that does not exec it.
func (s *stage) wrapped(key, act string) config.ServerConfig {
	server := s.actor(key, act)
	server.Command, server.Args = "/bin/sh", []string{"-c", `"$0"; true`, os.Args[0]}
	return server
}

// spawner starts real processes with what is safe of our own environment, and
// with the mark.
func (s *stage) spawner() child.Spawner {
	env := config.NewEnv(append(os.Environ(), s.mark.Entry()))
	return s.watched(child.NewOSSpawner(child.NewEnvironment(env, config.Chain{}, false)))
}

// raise starts the servers and waits for them to settle.
func (s *stage) raise(o child.Options, servers ...config.ServerConfig) *crew {
	s.t.Helper()
	c := musterServers(s.t, s.spawner(), o, servers...)
	c.greet()
	return c
}

// wantNobody fails the test if marked processes stay.
func (s *stage) wantNobody() {
	s.t.Helper()
	s.eventually("every process is gone", func() bool { return len(s.mark.Alive()) == 0 })
}

func (s *stage) eventually(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Errorf("never: %s", what)
			return
		}
	}
}

// result returns what a tool of the child results in.
func result[T any](c *crew, key, tool string) (value T) {
	c.t.Helper()
	line := c.ask(key, tool).await(c.t)
	var answer struct{ Result T }
	if err := json.NewDecoder(bytes.NewReader([]byte(line))).Decode(&answer); err != nil || !strings.Contains(line, `"result"`) {
		c.t.Fatalf("%s: %s", tool, line)
	}
	return answer.Result
}

// events returns what happened to one child, without the time.
func (s *stage) events(key string) string {
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
