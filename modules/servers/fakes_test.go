package servers_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/servers"
)

// harness is a ServerRegistry on a fake store.
type harness struct {
	*servers.ServerRegistry

	store   *memoryStore
	changes cluster
	log     *lockedLog

	mu    sync.Mutex
	text  []string // the calls of the watcher
	seen  []string // descriptions, in that order
	shown map[string]string
	clash string // two records that were published with one name
	stop  func()
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	return newHarnessOn(newMemoryStore())
}

func newHarnessOn(store *memoryStore) *harness {
	h := &harness{store: store, changes: make(cluster), log: new(lockedLog), shown: make(map[string]string)}
	h.ServerRegistry = servers.NewServerRegistry(store, h.changes, slog.New(slog.NewTextHandler(h.log, nil)))
	h.Watch(h)
	return h
}

func (h *harness) start(t *testing.T) {
	t.Helper()
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.stop = sync.OnceFunc(func() { _ = h.Stop(t.Context()) })
	t.Cleanup(h.stop)
}

// restart stops the registry and returns a new one on the same store.
func (h *harness) restart(t *testing.T) *harness {
	t.Helper()
	h.stop()
	again := newHarnessOn(h.store)
	again.start(t)
	return again
}

// awaitReload makes the registry reload the records, as after a change of another replica.
func (h *harness) awaitReload(t *testing.T) {
	t.Helper()
	for range 2 { // the second one is received when the first has been read
		select {
		case h.changes <- struct{}{}:
		case <-time.After(20 * time.Second):
			t.Fatal("nobody follows the changes")
		}
	}
}

// Changed implements servers.Watcher.
func (h *harness) Changed(s servers.Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, name := range h.shown {
		if name == s.Name && id != s.ID {
			h.clash = name
		}
	}
	h.shown[s.ID] = s.Name
	h.seen = append(h.seen, s.Description)
	text := s.Name + " " + string(s.Status)
	if s.Wanted {
		text += " wanted"
	}
	if s.ToolCount > 0 {
		text += fmt.Sprint(" ", s.ToolCount)
	}
	if s.Error != "" {
		text += " " + s.Error
	}
	h.text = append(h.text, text)
}

// Removed implements servers.Watcher.
func (h *harness) Removed(s servers.Server) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.shown, s.ID)
	h.text = append(h.text, "-"+s.Name)
}

// expectEvents checks the calls of the watcher since the last time.
func (h *harness) expectEvents(t *testing.T, want string) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := strings.Join(h.text, ", "); got != want {
		t.Errorf("told %q\nwant %q", got, want)
	}
	h.text = nil
}

func (h *harness) names() string {
	var names []string
	for _, s := range h.Servers() {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

func draft(name string) servers.Draft {
	return servers.Draft{Name: name, Transport: servers.Stdio, Connection: servers.Connection{Command: "run"}, AutoConnect: true}
}

// register registers a server and returns its id.
func (h *harness) register(t *testing.T, name string) string {
	t.Helper()
	s, err := h.Register(t.Context(), draft(name))
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

func (h *harness) logged() string { return h.log.String() }

// lockedLog can be written by several goroutines.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// memoryStore is a store in memory that several replicas can share.
type memoryStore struct {
	mu      sync.Mutex
	list    []servers.Server
	events  []servers.Event
	updates int
	err     error
	undo    error // returned by Update instead of committing
	stuck   bool
	free    chan struct{} // closed when it no longer hangs
}

func newMemoryStore() *memoryStore { return new(memoryStore) }

// cluster signals changes of other replicas.
type cluster chan struct{}

func (c cluster) Changes() <-chan struct{} { return c }

func (cluster) Claim(context.Context, string) (servers.Claim, bool, error) { return nil, true, nil }

// check returns the error of the store, and waits while it hangs.
func (m *memoryStore) check(ctx context.Context) error {
	m.mu.Lock()
	stuck, free, err := m.stuck, m.free, m.err
	m.mu.Unlock()
	if stuck {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-free:
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (m *memoryStore) setError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *memoryStore) setRollback(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.undo = err
}

func (m *memoryStore) setStuck(stuck bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stuck = stuck
	if stuck {
		m.free = make(chan struct{})
	} else {
		close(m.free)
	}
}

func (m *memoryStore) Servers(ctx context.Context) ([]servers.Server, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list), nil
}

func (m *memoryStore) nameTaken(name, by string) bool {
	return slices.ContainsFunc(m.list, func(s servers.Server) bool { return s.Name == name && s.ID != by })
}

func (m *memoryStore) Create(ctx context.Context, s servers.Server) error {
	if err := m.check(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.nameTaken(s.Name, "") {
		return servers.ErrNameTaken
	}
	m.list = append(m.list, s)
	return nil
}

func (m *memoryStore) index(id string) int {
	return slices.IndexFunc(m.list, func(s servers.Server) bool { return s.ID == id })
}

func (m *memoryStore) Update(ctx context.Context, id string, change func(*servers.Server) error, events ...servers.Event) (servers.Server, error) {
	if err := m.check(ctx); err != nil {
		return servers.Server{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.index(id)
	if i < 0 {
		return servers.Server{}, servers.ErrUnknown
	}
	s := m.list[i]
	if err := change(&s); err != nil {
		return servers.Server{}, err
	}
	if m.nameTaken(s.Name, id) {
		return servers.Server{}, servers.ErrNameTaken
	}
	if m.undo != nil {
		return servers.Server{}, m.undo
	}
	s.UpdatedAt = time.Now()
	m.list[i] = s
	m.updates++
	m.events = append(m.events, events...)
	return s, nil
}

func (m *memoryStore) Delete(ctx context.Context, id string) error {
	if err := m.check(ctx); err != nil {
		return err
	}
	if !m.deleteRecord(id) {
		return servers.ErrUnknown
	}
	return nil
}

// deleteRecord removes a record, as another replica does.
func (m *memoryStore) deleteRecord(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.index(id)
	if i >= 0 {
		m.list = slices.Delete(m.list, i, i+1)
	}
	return i >= 0
}

// edit changes a record, as another replica does.
func (m *memoryStore) edit(id string, change func(*servers.Server)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.list[m.index(id)])
}

// add adds a record, as another replica does.
func (m *memoryStore) add(s servers.Server) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, s)
	slices.SortStableFunc(m.list, func(a, b servers.Server) int { return a.RegisteredAt.Compare(b.RegisteredAt) })
}

func (m *memoryStore) records() []servers.Server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list)
}

func (m *memoryStore) record(id string) servers.Server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list[m.index(id)]
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
