package sessions

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// ServerRecords holds the desired state of the servers and receives what is observed of
// them.
type ServerRecords interface {
	// Watch adds a watcher of the records.
	Watch(w servers.Watcher)
	// SetWanted sets the desired state.
	SetWanted(ctx context.Context, id string, wanted bool) (servers.Server, error)
	// Observe receives the observed status of a server.
	Observe(id string, o servers.Observation, events ...servers.Event)
}

// ToolSink receives the tools of the servers.
type ToolSink interface {
	// Set replaces the tools of the server with that id and returns how many are listed.
	// The context bounds the wait until they are stored.
	Set(ctx context.Context, id string, definitions [][]byte) int
	// Hide removes the tools of the server from the list. They stay stored.
	Hide(id string)
}

// Expander expands the variable references of a record.
type Expander interface {
	// Expand returns the record with its Connection expanded. The error names every
	// variable that is not set.
	Expand(s servers.Server) (Target, error)
}

// ServerRequests receives the requests and notifications of a session's server.
type ServerRequests interface {
	// HandleServerMessage is that of [Peer].
	HandleServerMessage(m *wire.Message, from Origin, of Replier)
}

// ServerRequestsFactory makes the ServerRequests of each session.
type ServerRequestsFactory interface {
	// NewServerRequests returns the ServerRequests of a new session with s.
	NewServerRequests(s servers.Server) ServerRequests
}

// Deps are the other modules, as far as sessions need them.
type Deps struct {
	Records        ServerRecords
	Tools          ToolSink
	Expander       Expander
	ServerRequests ServerRequestsFactory
	Cluster        servers.Cluster
}

// Dialers has the Dialer of each transport.
type Dialers map[servers.Transport]Dialer

// SessionManager owns the sessions with all servers. A reconciler, one goroutine for each
// server, owns its session; others read its State.
type SessionManager struct {
	deps    Deps
	dialers Dialers
	log     *slog.Logger
	options Options

	mu          sync.Mutex
	reconcilers map[string]*reconciler
	stopped     bool
	workers     sync.WaitGroup // includes the reconcilers of removed servers
	startWorker func(run func(context.Context))
	cancel      context.CancelFunc
	started     chan struct{} // closed by Start
}

// NewSessionManager returns a manager of the servers in the records. Start starts its
// reconcilers.
func NewSessionManager(deps Deps, dialers Dialers, log *slog.Logger, options Options) *SessionManager {
	m := &SessionManager{
		deps: deps, dialers: dialers, log: log, options: options.withDefaults(),
		reconcilers: make(map[string]*reconciler), started: make(chan struct{}),
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	m.startWorker = func(run func(context.Context)) { m.workers.Go(func() { run(ctx) }) }
	deps.Records.Watch(m)
	return m
}

// Start starts connecting the known servers, and later ones as they are registered. It
// comes after the registrations at the start of the service, so that they do not compete
// with the sessions.
func (m *SessionManager) Start(context.Context) error {
	close(m.started)
	return nil
}

// Stop closes all sessions at once, without draining them, and waits for that no longer
// than its context permits.
func (m *SessionManager) Stop(ctx context.Context) error {
	m.mu.Lock()
	m.stopped = true
	m.mu.Unlock()
	m.cancel()
	joined := make(chan struct{})
	go func() { // outlives Stop only if ctx ends first
		m.workers.Wait()
		close(joined)
	}()
	select {
	case <-joined:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("sessions: not all are closed: %w", ctx.Err())
	}
}

// Changed implements servers.Watcher.
func (m *SessionManager) Changed(s servers.Server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.reconcilers[s.ID]
	if r == nil && m.stopped {
		return
	}
	if r == nil {
		r = newReconciler(m, s)
		m.reconcilers[s.ID] = r
		m.startWorker(func(ctx context.Context) { m.runStarted(ctx, r) })
	}
	r.setDesired(&s)
}

// runStarted runs a reconciler once the manager is started.
func (m *SessionManager) runStarted(ctx context.Context, r *reconciler) {
	select {
	case <-m.started:
		r.run(ctx)
	case <-ctx.Done():
	}
}

// Removed implements servers.Watcher.
func (m *SessionManager) Removed(s servers.Server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.reconcilers[s.ID]; r != nil {
		r.setDesired(nil)
		delete(m.reconcilers, s.ID)
	}
}

func (m *SessionManager) reconciler(id string) *reconciler {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reconcilers[id]
}

// State returns the state of the server with that id, or nil if there is none.
func (m *SessionManager) State(id string) *State {
	if r := m.reconciler(id); r != nil {
		return r.state.Load()
	}
	return nil
}

// Info returns what the server with that id said of itself in its newest session. It is
// known before the tools of that session are.
func (m *SessionManager) Info(id string) mcpclient.ServerInfo {
	if r := m.reconciler(id); r != nil {
		if info := r.info.Load(); info != nil {
			return *info
		}
	}
	return mcpclient.ServerInfo{}
}

// Connect sets the desired state to connected and retries at once. It does not wait for
// the connection. It returns the current status, where Disconnected means that another
// replica runs the server, or servers.ErrUnknown.
func (m *SessionManager) Connect(ctx context.Context, id string) (servers.Status, error) {
	s, err := m.deps.Records.SetWanted(ctx, id, true)
	if err != nil {
		return "", err
	}
	if s.Status.Live() {
		return s.Status, nil
	}
	if r := m.reconciler(id); r != nil && r.retryAndWait(ctx).Reason == runsElsewhere {
		return servers.Disconnected, nil
	}
	return servers.Connecting, nil
}

// Disconnect sets the desired state to disconnected, waits until the pending calls have
// ended or were cut off, and returns how many were cut off. It returns servers.ErrUnknown.
func (m *SessionManager) Disconnect(ctx context.Context, id string) (pending int, err error) {
	r := m.reconciler(id)
	elsewhere := r != nil && r.state.Load().Reason == runsElsewhere
	if _, err := m.deps.Records.SetWanted(ctx, id, false); err != nil {
		return 0, err
	}
	switch {
	case r == nil:
		return 0, servers.ErrUnknown
	case elsewhere:
		return 0, r.awaitReleased(ctx)
	}
	return r.awaitDrained(ctx)
}

// Options configures the SessionManager. Zero fields mean the defaults.
type Options struct {
	DialTimeout time.Duration // of one attempt to connect; default 60 s
	DrainTime   time.Duration // the longest wait for pending calls on disconnect; default 30 s
	FirstPause  time.Duration // after the first failed attempt, doubled each time; default 500 ms
	LastPause   time.Duration // the longest pause; default 60 s
	// MaxFailures is how many consecutive attempts to reconnect fail before the server is
	// Errored, and calls no longer wait for it; default 5.
	MaxFailures int
	// ClaimPause is the pause between two attempts to claim a server that another replica
	// runs; default 1 s.
	ClaimPause time.Duration
}

func (o Options) withDefaults() Options {
	return Options{
		DialTimeout: cmp.Or(o.DialTimeout, 60*time.Second),
		DrainTime:   cmp.Or(o.DrainTime, 30*time.Second),
		FirstPause:  cmp.Or(o.FirstPause, 500*time.Millisecond),
		LastPause:   cmp.Or(o.LastPause, 60*time.Second),
		MaxFailures: cmp.Or(o.MaxFailures, 5),
		ClaimPause:  cmp.Or(o.ClaimPause, time.Second),
	}
}
