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
	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// stdioDialer begins sessions with child processes.
type stdioDialer struct {
	spawner child.Spawner
	version string // of the service
	log     *slog.Logger
}

// Dial implements sessions.Dialer.
func (d *stdioDialer) Dial(ctx context.Context, target sessions.Target, peer sessions.Peer) (sessions.Session, error) {
	s := &stdioSession{done: make(chan struct{})}
	s.Server = child.New(childOf(target), d.spawner, stdioClient{peer, s}, stdioTools{peer}, d.log,
		child.Options{HandshakeTimeout: timeLeft(ctx), Quiet: true})
	s.Start() //nolint:contextcheck // the child outlives the attempt
	s.Initialize(child.InitializeParams{
		Raw: mcpclient.Service(d.version).Params(mcpclient.ProtocolVersion), ProtocolVersion: mcpclient.ProtocolVersion,
	})
	select {
	case <-s.Settled():
	case <-ctx.Done():
		s.Kill()
	}
	if status := s.Status(); status.State != child.Running {
		s.Close()
		return nil, dialError(ctx, status.Err)
	}
	return s, nil
}

// timeLeft is the time that ctx leaves, less the time to report that it is over.
func timeLeft(ctx context.Context) time.Duration {
	const tenth = time.Second / 10
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return max((time.Until(deadline) - tenth).Round(tenth), tenth)
}

func dialError(ctx context.Context, failure *child.Error) error {
	if failure == nil {
		return ctx.Err()
	}
	return explain(failure)
}

// explain returns the failure of a child without its name, which the caller knows.
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

// stdioSession is a sessions.Session with one child process. The Server's Kill makes it a
// sessions.Killer.
type stdioSession struct {
	*child.Server

	once sync.Once
	done chan struct{}
}

// Call implements sessions.Session.
func (s *stdioSession) Call(request *wire.Message, tool []byte, r sessions.Replier) {
	s.Server.Call(request, tool, r)
	s.Flush()
}

// Cancel implements sessions.Session.
func (s *stdioSession) Cancel(notification *wire.Message, r sessions.Replier) {
	s.Server.Cancel(notification, func(other child.Replier) bool { return other == child.Replier(r) })
}

// Info implements sessions.Introduced.
func (s *stdioSession) Info() mcpclient.ServerInfo { return s.Status().Info }

// Done implements sessions.Session.
func (s *stdioSession) Done() <-chan struct{} { return s.done }

// Err implements sessions.Session.
func (s *stdioSession) Err() error {
	if failure := s.Status().Err; failure != nil {
		return explain(failure)
	}
	return nil
}

// Close implements sessions.Session.
func (s *stdioSession) Close() {
	s.closeDone()
	_ = s.Stop() // which kills what does not end in time
}

func (s *stdioSession) closeDone() { s.once.Do(func() { close(s.done) }) }

// stdioTools passes the tools of a child to the peer.
type stdioTools struct{ peer sessions.Peer }

func (t stdioTools) ReplaceTools(_ string, definitions [][]byte) int {
	t.peer.Tools(definitions)
	return len(definitions)
}

func (stdioTools) RemoveTools(string) {}

// stdioClient is the client that the child sees.
type stdioClient struct {
	peer    sessions.Peer
	session *stdioSession
}

func (c stdioClient) HandleServerMessage(m *wire.Message, from child.Origin) {
	c.peer.HandleServerMessage(m, from, nil)
}

func (c stdioClient) ServerEnded(child.Origin) { c.session.closeDone() }

func (stdioClient) Flush() {}
