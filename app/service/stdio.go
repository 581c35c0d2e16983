package service

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// stdioDialer makes sessions with child processes.
type stdioDialer struct {
	spawner child.Spawner
	version string // of the service
	log     *slog.Logger
}

// capabilities are what servers are told that the clients have. They are the same
// for all, since a session is shared.
const capabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{}}`

const protocolVersion = "2025-11-25"

// Dial implements sessions.Dialer.
func (d *stdioDialer) Dial(ctx context.Context, target sessions.Target, peer sessions.Peer) (sessions.Session, error) {
	s := &stdioSession{key: target.Server.Name, done: make(chan struct{})}
	s.manager = child.NewManager(&config.McpConfig{Servers: []config.ServerConfig{childOf(target)}},
		d.spawner, stdioClient{peer, s}, stdioTools{peer}, d.log, child.Options{FailAfter: patienceOf(ctx), Quiet: true})
	if err := s.manager.Start(ctx); err != nil {
		return nil, err
	}
	s.manager.Hello(child.Introduction{Initialize: d.introduction(), ProtocolVersion: protocolVersion})
	select {
	case <-s.manager.Settled(s.key):
	case <-ctx.Done():
		s.manager.Kill()
	}
	if status := s.manager.Statuses()[0]; status.State != child.Running {
		s.Close() //nolint:contextcheck // what has failed is cleared away in any case
		return nil, whyNot(ctx, status.Err)
	}
	return s, nil
}

// patienceOf is the time that ctx leaves, less what it takes to say that it is over.
func patienceOf(ctx context.Context) time.Duration {
	const tenth = time.Second / 10
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max((time.Until(deadline) - tenth).Round(tenth), tenth)
}

func whyNot(ctx context.Context, failure *child.Error) error {
	if failure == nil {
		return ctx.Err()
	}
	return explain(failure)
}

// explain is the failure of a child without its name, which everybody knows here.
func explain(failure *child.Error) error {
	if failure.Stderr == "" {
		return fmt.Errorf("%s: %s", failure.Phase, failure.Why())
	}
	return fmt.Errorf("%s: %s; its standard error: %s", failure.Phase, failure.Why(), failure.Stderr)
}

func childOf(target sessions.Target) config.ServerConfig {
	c := target.Server.Connection
	server := config.ServerConfig{
		Key: target.Server.Name, Command: c.Command, Args: c.Args, Dir: c.Cwd, Secrets: target.Secrets,
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		server.Env = append(server.Env, config.Var{Name: name, Value: c.Env[name]})
	}
	return server
}

func (d *stdioDialer) introduction() []byte {
	line := []byte(`{"protocolVersion":"` + protocolVersion + `","capabilities":` + capabilities +
		`,"clientInfo":{"name":"mcp-aggregator","version":`)
	return append(wire.AppendQuoted(line, d.version), "}}"...)
}

// stdioSession is a sessions.Session with one child process.
type stdioSession struct {
	key     string
	manager *child.Manager
	once    sync.Once
	done    chan struct{}
}

// Call implements sessions.Session.
func (s *stdioSession) Call(request *wire.Message, tool []byte, r sessions.Replier) {
	s.manager.Call(s.key, request, tool, r)
	s.manager.Flush()
}

// Cancel implements sessions.Session.
func (s *stdioSession) Cancel(notification *wire.Message, r sessions.Replier) {
	s.manager.Cancel(notification, func(other child.Replier) bool { return other == child.Replier(r) })
}

// Done implements sessions.Session.
func (s *stdioSession) Done() <-chan struct{} { return s.done }

// Err implements sessions.Session.
func (s *stdioSession) Err() error {
	if failure := s.manager.Statuses()[0].Err; failure != nil {
		return explain(failure)
	}
	return nil
}

// Close implements sessions.Session.
func (s *stdioSession) Close() {
	s.end()
	if err := s.manager.Stop(context.Background()); err != nil {
		s.manager.Kill()
	}
}

// Kill implements sessions.Killer.
func (s *stdioSession) Kill() { s.manager.Kill() }

func (s *stdioSession) end() { s.once.Do(func() { close(s.done) }) }

// stdioTools takes what the child offers.
type stdioTools struct{ peer sessions.Peer }

func (t stdioTools) ReplaceTools(_ string, definitions [][]byte) int {
	t.peer.Tools(definitions)
	return len(definitions)
}

func (stdioTools) RemoveTools(string) {}

// stdioClient is the client that the child sees. The child leaves it when it has
// ended.
type stdioClient struct {
	peer    sessions.Peer
	session *stdioSession
}

func (c stdioClient) Pass(m *wire.Message, from child.Origin) {
	c.peer.HandleServerMessage(m, from, nil)
}

func (c stdioClient) Leave(child.Origin) { c.session.end() }

func (stdioClient) Flush() {}
