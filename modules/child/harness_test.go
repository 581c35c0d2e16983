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

// crew is a Manager and all that it talks to.
type crew struct {
	*child.Manager
	t       *testing.T
	log     *logbook
	tools   *tools
	flushes *flushes
}

// muster makes the Manager of servers with these keys and starts them.
func muster(t *testing.T, spawner child.Spawner, o child.Options, keys ...string) *crew {
	t.Helper()
	var servers []config.ServerConfig
	for _, key := range keys {
		servers = append(servers, config.ServerConfig{Key: key, Command: "run-" + key})
	}
	return musterServers(t, spawner, o, servers...)
}

// musterServers starts these servers. They are stopped at the end of the test.
func musterServers(t *testing.T, spawner child.Spawner, o child.Options, servers ...config.ServerConfig) *crew {
	t.Helper()
	return musterAt(t, slog.LevelWarn, spawner, o, servers...)
}

// musterAt starts them and logs what is at least that important.
func musterAt(t *testing.T, level slog.Level, spawner child.Spawner, o child.Options, servers ...config.ServerConfig) *crew {
	t.Helper()
	c := &crew{t: t, log: &logbook{}, tools: &tools{}, flushes: &flushes{}}
	c.Manager = child.NewManager(&config.McpConfig{Servers: servers}, spawner, c.flushes, c.tools, c.log.logger(level), o)
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.dismiss() })
	return c
}

// dismiss stops all children, as often as it is called.
func (c *crew) dismiss() {
	c.t.Helper()
	if err := c.Stop(context.Background()); err != nil {
		c.t.Errorf("stop: %v", err)
	}
}

// hello is what the crew is told of the client.
var hello = child.InitializeParams{ProtocolVersion: "2025-11-25"}

// greet introduces the client and waits for every child to settle.
func (c *crew) greet() {
	c.Initialize(hello)
	for _, s := range c.Statuses() {
		<-c.Settled(s.Key)
	}
}

// status returns the status of one child.
func (c *crew) status(key string) child.Status {
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
func (c *crew) failure(key string) child.Error {
	c.t.Helper()
	s := c.status(key)
	if s.State != child.Failed || s.Err == nil {
		c.t.Fatalf("child %q is %s, error %v, want it failed", key, s.State, s.Err)
	}
	testutil.Record(s.Err.Error() + "\n" + s.Err.Stderr)
	return *s.Err
}

// ask sends tools/call of the tool to a child.
func (c *crew) ask(key, tool string) *reply {
	c.t.Helper()
	return c.send(key, `{"jsonrpc":"2.0","id":"client's","method":"tools/call","params":{"name":"public name"}}`, tool)
}

// send sends a line to a child, with the tool's own name if there is one.
func (c *crew) send(key, line, tool string) *reply {
	c.t.Helper()
	return c.forward(key, scanned(c.t, line), tool)
}

func scanned(t *testing.T, line string) *wire.Message {
	t.Helper()
	var m wire.Message
	if err := new(wire.Scanner).Scan([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

// forward sends what has been scanned.
func (c *crew) forward(key string, m *wire.Message, tool string) *reply {
	var name []byte
	if tool != "" {
		name = wire.AppendQuoted(nil, tool)
	}
	r := &reply{outcomes: make(chan string, 10)}
	c.Call(key, m, name, r)
	c.Flush()
	return r
}

// reply is a Replier. Outcomes are lines with the id 0.
type reply struct{ outcomes chan string }

func (r *reply) Reply(m *wire.Message) { r.outcomes <- string(m.WithID([]byte("0"))) }

func (r *reply) Fail(e *wire.Error) {
	line := string(wire.AppendErrorLine(nil, []byte("0"), e))
	testutil.Record(line)
	r.outcomes <- line
}

// await returns the outcome.
func (r *reply) await(t *testing.T) string {
	t.Helper()
	select {
	case outcome := <-r.outcomes:
		return outcome
	case <-time.After(time.Minute):
		t.Fatal("no outcome after a minute")
		return ""
	}
}

// soFar returns the outcomes that are there.
func (r *reply) soFar() (outcomes []string) {
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
func (c *crew) wantLog(lines ...string) {
	c.t.Helper()
	c.dismiss()
	want := ""
	for _, line := range lines {
		want += line + "\n"
	}
	if got := c.log.String(); got != want {
		c.t.Errorf("log:\n%swant:\n%s", got, want)
	}
}

// wantTools compares everything that was said about tools.
func (c *crew) wantTools(lines ...string) {
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
