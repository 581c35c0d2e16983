package router_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/catalog"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// service is all modules between a client and a flaky server.
type service struct {
	*router.RequestRouter

	records *servers.ServerRegistry
	manager *sessions.SessionManager
	server  *flakyServer
	id      string
}

func newService(t *testing.T, seed uint64) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	s := &service{server: &flakyServer{executed: make(map[string]int), random: rand.New(rand.NewPCG(seed, 0))}}
	store := &memoryStore{}
	s.records = servers.NewServerRegistry(store, store, log)
	tools := registry.NewToolRegistry(nil, registry.Dotted, registry.Filter{}, log)
	s.manager = sessions.NewSessionManager(sessions.Deps{
		Records: s.records, Tools: catalog.NewToolAggregator(s.records, store, store, tools, log),
		Expander: s.server, ServerRequests: router.NewServerRequestsFactory(), Cluster: store,
	}, sessions.Dialers{servers.HTTP: s.server}, log, sessions.Options{})
	if err := errors.Join(s.records.Start(t.Context()), s.manager.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	s.RequestRouter = router.NewRequestRouter(s.records, s.manager, tools, router.Options{})
	record, err := s.records.Register(t.Context(), servers.Draft{
		Name: "a", Transport: servers.HTTP, Connection: servers.Connection{URL: "http://a"}, AutoConnect: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.id = record.ID
	return s
}

func (s *service) stop(t *testing.T) {
	t.Helper()
	_ = s.manager.Stop(t.Context())
	_ = s.records.Stop(t.Context())
}

// call calls a tool; key identifies the call in flakyServer.executed.
func (s *service) call(ctx context.Context, tool, key string) error {
	_, err := s.Call(ctx, router.Call{
		Query:   router.Query{Name: "a." + tool},
		Request: message(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a.` + tool + `","arguments":"` + key + `"}}`),
	})
	return err
}

// flakyServer is a server whose sessions end during calls, after which it refuses some
// connections. It is also the sessions.Dialer.
type flakyServer struct {
	mu           sync.Mutex
	random       *rand.Rand
	executed     map[string]int // number of executions, by key
	failingDials int            // that are still to come
}

func (*flakyServer) Expand(s servers.Server) (sessions.Target, error) {
	return sessions.Target{Server: s}, nil
}

func (u *flakyServer) Dial(_ context.Context, _ sessions.Target, peer sessions.Peer) (sessions.Session, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failingDials > 0 {
		u.failingDials--
		return nil, errors.New("connection refused")
	}
	u.failingDials = u.random.IntN(3)
	peer.Tools([][]byte{[]byte(named("once", `{}`)), []byte(named("again", `{"idempotentHint":true}`))})
	s := &flakySession{server: u, open: make(map[sessions.Replier]bool), done: make(chan struct{})}
	lasts := 11*time.Second + time.Duration(u.random.Int64N(int64(20*time.Second)))
	s.timer = time.AfterFunc(lasts, s.Close)
	return s, nil
}

// executions returns how often a call was executed.
func (u *flakyServer) executions(key string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.executed[key]
}

// flakySession is a session of flakyServer.
type flakySession struct {
	server *flakyServer
	timer  *time.Timer
	once   sync.Once
	done   chan struct{}

	mu   sync.Mutex
	open map[sessions.Replier]bool
	over bool
}

func (f *flakySession) Call(request *wire.Message, _ []byte, r sessions.Replier) {
	f.mu.Lock()
	over := f.over
	f.open[r] = !over
	f.mu.Unlock()
	if over {
		r.Fail(&wire.Error{Message: "the session is over", Unsent: true})
		return
	}
	key, _ := wire.Unquote(request.Param("arguments").Of(request.Line))
	f.server.mu.Lock()
	f.server.executed[key]++
	takes := time.Duration(f.server.random.Int64N(int64(4 * time.Second)))
	f.server.mu.Unlock()
	time.AfterFunc(takes, func() {
		if f.removeOpen(r) {
			r.Reply(message(result))
		}
	})
}

// removeOpen reports whether a call is open, and marks it as answered.
func (f *flakySession) removeOpen(r sessions.Replier) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	open := f.open[r]
	f.open[r] = false
	return open
}

func (*flakySession) Cancel(*wire.Message, sessions.Replier) {}

func (f *flakySession) Done() <-chan struct{} { return f.done }

func (*flakySession) Err() error { return errors.New("it crashed") }

func (f *flakySession) Close() {
	f.once.Do(func() {
		f.timer.Stop()
		f.mu.Lock()
		f.over = true
		open := f.open
		f.open = make(map[sessions.Replier]bool)
		f.mu.Unlock()
		for r, is := range open {
			if is {
				r.Fail(&wire.Error{Message: "it crashed"})
			}
		}
		close(f.done)
	})
}

func TestNoCallIsLostOrExecutedTwice(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			s := newService(t, seed)
			defer s.stop(t)
			var work sync.WaitGroup
			for i := range 40 {
				work.Go(func() {
					for j := range 20 {
						s.check(t, "once", fmt.Sprint("once", i, " ", j))
						time.Sleep(time.Duration(i) * 10 * time.Millisecond)
						s.check(t, "again", fmt.Sprint("again", i, " ", j))
					}
				})
			}
			work.Wait()
		})
	}
}

// check makes a call and compares its outcome with the server's count.
func (s *service) check(t *testing.T, tool, key string) {
	t.Helper()
	err := s.call(t.Context(), tool, key)
	executed := s.server.executions(key)
	switch {
	case executed == 0:
		t.Errorf("%s was not executed: %v", key, err)
	case tool == "once" && (executed > 1 || err != nil && !isLost(err)):
		t.Errorf("%s was executed %d times: %v", key, executed, err)
	case tool == "again" && (executed > 4 || err != nil && executed < 4):
		t.Errorf("%s, which may be repeated, was executed %d times: %v", key, executed, err)
	}
}

func TestACallDuringADisconnectIsRefusedAndThoseBeforeItEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, 1)
		defer s.stop(t)
		synctest.Wait()
		before := make(chan error, 1)
		go func() { before <- s.call(t.Context(), "once", "before") }()
		synctest.Wait()
		pending := make(chan int, 1)
		go func() {
			n, _ := s.manager.Disconnect(t.Context(), s.id)
			pending <- n
		}()
		synctest.Wait()
		err := s.call(t.Context(), "once", "during")
		e, ok := errors.AsType[*servers.UnavailableError](err)
		if !ok || e.Status != servers.Disconnected || s.server.executions("during") != 0 {
			t.Errorf("during: %v", err)
		}
		if err := <-before; err != nil || <-pending != 0 {
			t.Errorf("before: %v", err)
		}
	})
}

// memoryStore is a store in memory for one replica.
type memoryStore struct {
	mu   sync.Mutex
	list []servers.Server
}

func (*memoryStore) Changes() <-chan struct{} { return nil }

func (*memoryStore) Claim(context.Context, string) (servers.Claim, bool, error) {
	return nil, false, errors.New("only processes are claimed")
}

func (*memoryStore) Tools(context.Context) ([]servers.Tool, error) { return nil, nil }

func (*memoryStore) ReplaceTools(context.Context, string, []servers.Tool) error { return nil }

func (*memoryStore) Delete(context.Context, string) error { return nil }

func (s *memoryStore) Servers(context.Context) ([]servers.Server, error) { return s.list, nil }

func (s *memoryStore) Create(_ context.Context, record servers.Server) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, record)
	return nil
}

func (s *memoryStore) Update(_ context.Context, id string, change func(*servers.Server) error, _ ...servers.Event) (servers.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.list, func(record servers.Server) bool { return record.ID == id })
	err := change(&s.list[i])
	return s.list[i], err
}
