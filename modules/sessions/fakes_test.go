package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is a SessionManager with fakes.
type harness struct {
	*sessions.SessionManager

	mu      sync.Mutex
	watcher servers.Watcher
	records map[string]servers.Server
	seen    []string // what was observed of servers
	events  []string // the events of servers
	listed  map[string]int
	dialled []sessions.Target
	live    []*fakeSession
	dial    func(ctx context.Context, target sessions.Target) error // nil: it succeeds
	claims  func(id string) (servers.Claim, bool, error)
	unset   string      // a variable that is not set
	hangs   atomic.Bool // the store
	slow    atomic.Bool // each session closes only when it is killed
}

func newHarness(t *testing.T, options sessions.Options) *harness {
	t.Helper()
	h := newUnstartedHarness(t, options)
	_ = h.Start(t.Context()) // it never fails
	return h
}

func newUnstartedHarness(t *testing.T, options sessions.Options) *harness {
	t.Helper()
	h := &harness{records: make(map[string]servers.Server), listed: make(map[string]int)}
	h.SessionManager = sessions.NewSessionManager(sessions.Deps{
		Records: h, Tools: h, Expander: h, ServerRequests: h, Cluster: h,
	}, sessions.Dialers{servers.Stdio: h, servers.HTTP: h}, slog.New(slog.DiscardHandler), options)
	t.Cleanup(func() { _ = h.Stop(t.Context()) })
	return h
}

func (h *harness) Watch(w servers.Watcher) { h.watcher = w }

// put changes a record and notifies the manager.
func (h *harness) put(s servers.Server) {
	h.mu.Lock()
	h.records[s.ID] = s
	h.mu.Unlock()
	h.watcher.Changed(s)
}

func (h *harness) remove(id string) {
	h.mu.Lock()
	s := h.records[id]
	delete(h.records, id)
	h.mu.Unlock()
	h.watcher.Removed(s)
}

func (h *harness) SetWanted(_ context.Context, id string, wanted bool) (servers.Server, error) {
	h.mu.Lock()
	s, ok := h.records[id]
	h.mu.Unlock()
	if !ok {
		return s, servers.ErrUnknown
	}
	s.Wanted = wanted
	h.put(s)
	return s, nil
}

func (h *harness) Observe(id string, o servers.Observation, events ...servers.Event) {
	if s, ok := h.record(id, o, events); ok {
		h.watcher.Changed(s)
	}
}

func (h *harness) record(id string, o servers.Observation, events []servers.Event) (servers.Server, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.records[id]
	s.Status, s.ToolCount, s.Error = o.Status, o.ToolCount, o.Error
	if ok {
		h.records[id] = s
	}
	text := fmt.Sprint(o.Status)
	if o.ToolCount > 0 {
		text += fmt.Sprintf(" %d", o.ToolCount)
	}
	if o.Error != "" {
		text += " " + o.Error
	}
	h.seen = append(h.seen, text)
	for _, e := range events {
		h.events = append(h.events, string(e.Kind)+" "+e.Details)
	}
	return s, ok
}

func (h *harness) Set(ctx context.Context, id string, definitions [][]byte) int {
	if h.hangs.Load() {
		<-ctx.Done()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listed[id] = len(definitions)
	return len(definitions)
}

func (h *harness) Hide(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listed, id)
}

func (h *harness) Expand(s servers.Server) (sessions.Target, error) {
	if h.unset != "" {
		return sessions.Target{}, errors.New(h.unset + " is not set")
	}
	return sessions.Target{Server: s}, nil
}

func (h *harness) NewServerRequests(servers.Server) sessions.ServerRequests { return nil }

func (*harness) Changes() <-chan struct{} { return nil }

func (h *harness) Claim(_ context.Context, id string) (servers.Claim, bool, error) {
	if h.claims != nil {
		return h.claims(id)
	}
	return &fakeClaim{lost: make(chan struct{})}, true, nil
}

func (h *harness) Dial(ctx context.Context, target sessions.Target, peer sessions.Peer) (sessions.Session, error) {
	h.mu.Lock()
	h.dialled = append(h.dialled, target)
	dial := h.dial
	h.mu.Unlock()
	if dial != nil {
		if err := dial(ctx, target); err != nil {
			return nil, err
		}
	}
	s := &fakeSession{peer: peer, done: make(chan struct{}), slow: h.slow.Load()}
	peer.Tools(make([][]byte, 2))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live = append(h.live, s)
	return s, nil
}

// takeRecorded returns the observations and events since its last call.
func (h *harness) takeRecorded() (seen, events []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen, events = h.seen, h.events
	h.seen, h.events = nil, nil
	return seen, events
}

func (h *harness) lastSession() *fakeSession {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.live[len(h.live)-1]
}

func (h *harness) dialCount() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.dialled)
}

func (h *harness) setDial(dial func(ctx context.Context, target sessions.Target) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dial = dial
}

// fakeSession is a session that the test ends.
type fakeSession struct {
	peer   sessions.Peer
	done   chan struct{}
	err    error
	once   sync.Once
	slow   bool
	closed bool // by Close
	killed time.Time
}

func (s *fakeSession) drop(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.done)
	})
}

func (*fakeSession) Call(*wire.Message, []byte, sessions.Replier) {}
func (*fakeSession) Cancel(*wire.Message, sessions.Replier)       {}
func (s *fakeSession) Done() <-chan struct{}                      { return s.done }
func (s *fakeSession) Err() error                                 { return s.err }

func (s *fakeSession) Close() {
	s.closed = true
	if s.slow {
		<-s.done
	}
	s.drop(nil)
}

func (s *fakeSession) Kill() {
	s.killed = time.Now()
	s.drop(errors.New("signal: killed"))
}

type fakeClaim struct {
	lost     chan struct{}
	released bool
}

func (c *fakeClaim) Lost() <-chan struct{} { return c.lost }
func (c *fakeClaim) Release()              { c.released = true }

// newServer returns a record as it is registered.
func newServer() servers.Server {
	return servers.Server{
		ID: "1", Name: "a", Transport: servers.HTTP, Wanted: true, AutoConnect: true, Status: servers.Connecting,
		Connection: servers.Connection{URL: "http://a"},
	}
}
