package child_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// testManager is a Manager with its dependencies, which record.
type testManager struct {
	*child.Manager
	t              *testing.T
	log            *logBuffer
	tools          *toolsRecorder
	clientRecorder *clientRecorder
}

// startManager starts a Manager of servers with these keys.
func startManager(t *testing.T, spawner child.Spawner, o child.Options, keys ...string) *testManager {
	t.Helper()
	var servers []config.ServerConfig
	for _, key := range keys {
		servers = append(servers, config.ServerConfig{Key: key, Command: "run-" + key})
	}
	return startServers(t, spawner, o, servers...)
}

// startServers starts these servers. They are stopped at the end of the test.
func startServers(t *testing.T, spawner child.Spawner, o child.Options, servers ...config.ServerConfig) *testManager {
	t.Helper()
	return startServersAt(t, slog.LevelWarn, spawner, o, servers...)
}

// startServersAt starts these servers and logs at that level.
func startServersAt(t *testing.T, level slog.Level, spawner child.Spawner, o child.Options, servers ...config.ServerConfig) *testManager {
	t.Helper()
	c := &testManager{t: t, log: &logBuffer{}, tools: &toolsRecorder{}, clientRecorder: &clientRecorder{}}
	c.Manager = child.NewManager(&config.McpConfig{Servers: servers}, spawner, c.clientRecorder, c.tools, c.log.logger(level), o)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.stop() })
	return c
}

// stop stops all children. It may be called several times.
func (c *testManager) stop() {
	c.t.Helper()
	if err := c.Stop(context.Background()); err != nil {
		c.t.Errorf("stop: %v", err)
	}
}

// initializeParams are the params of a client without capabilities.
var initializeParams = child.InitializeParams{ProtocolVersion: "2025-11-25"}

// initializeAll begins the handshakes and waits until every child has settled.
func (c *testManager) initializeAll() {
	c.Initialize(initializeParams)
	for _, s := range c.Statuses() {
		<-c.Settled(s.Key)
	}
}

// status returns the status of one child.
func (c *testManager) status(key string) child.Status {
	c.t.Helper()
	for _, s := range c.Statuses() {
		if s.Key == key {
			return s
		}
	}
	c.t.Fatalf("no child %q", key)
	return child.Status{}
}

// failure returns the error of a child that has failed.
func (c *testManager) failure(key string) child.Error {
	c.t.Helper()
	s := c.status(key)
	if s.State != child.Failed || s.Err == nil {
		c.t.Fatalf("child %q is %s, error %v, want it failed", key, s.State, s.Err)
	}
	testutil.Record(s.Err.Error() + "\n" + s.Err.Stderr)
	return *s.Err
}

// callTool sends a tools/call of the tool to a child.
func (c *testManager) callTool(key, tool string) *replyRecorder {
	c.t.Helper()
	return c.sendLine(key, `{"jsonrpc":"2.0","id":"client's","method":"tools/call","params":{"name":"public name"}}`, tool)
}

// sendLine sends a line to a child, with the tool's own name if there is one.
func (c *testManager) sendLine(key, line, tool string) *replyRecorder {
	c.t.Helper()
	return c.sendMessage(key, scanned(c.t, line), tool)
}

func scanned(t *testing.T, line string) *wire.Message {
	t.Helper()
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

// sendMessage sends a message to a child.
func (c *testManager) sendMessage(key string, m *wire.Message, tool string) *replyRecorder {
	var name []byte
	if tool != "" {
		name = wire.AppendQuoted(nil, tool)
	}
	r := &replyRecorder{outcomes: make(chan string, 10)}
	c.Call(key, m, name, r)
	c.Flush()
	return r
}

// replyRecorder is a Replier that records outcomes, as lines with the id 0.
type replyRecorder struct{ outcomes chan string }

func (r *replyRecorder) Reply(m *wire.Message) { r.outcomes <- string(m.WithID([]byte("0"))) }

func (r *replyRecorder) Fail(e *wire.Error) {
	line := string(wire.AppendErrorLine(nil, []byte("0"), e))
	testutil.Record(line)
	r.outcomes <- line
}

// await returns the outcome.
func (r *replyRecorder) await(t *testing.T) string {
	t.Helper()
	select {
	case outcome := <-r.outcomes:
		return outcome
	case <-time.After(time.Minute):
		t.Fatal("no outcome after a minute")
		return ""
	}
}

// outcomesSoFar returns the outcomes so far.
func (r *replyRecorder) outcomesSoFar() (outcomes []string) {
	for {
		select {
		case outcome := <-r.outcomes:
			outcomes = append(outcomes, outcome)
		default:
			return outcomes
		}
	}
}

// wantLog stops all children and compares everything that was logged.
func (c *testManager) wantLog(lines ...string) {
	c.t.Helper()
	c.stop()
	want := ""
	for _, line := range lines {
		want += line + "\n"
	}
	if got := c.log.String(); got != want {
		c.t.Errorf("log:\n%swant:\n%s", got, want)
	}
}

// wantTools compares all calls of child.Tools.
func (c *testManager) wantTools(lines ...string) {
	c.t.Helper()
	if got := c.tools.lines(); !slices.Equal(got, lines) {
		c.t.Errorf("tools:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v\nwant: %v", what, got, want)
	}
}
