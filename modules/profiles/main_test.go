package profiles_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"mcp-aggregator/modules/profiles"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// memoryStore is a store in memory that several replicas can share.
type memoryStore struct {
	changes chan struct{}

	mu     sync.Mutex
	byName map[string]profiles.Profile
	err    error
	stuck  bool
}

func newMemoryStore() *memoryStore {
	return &memoryStore{changes: make(chan struct{}, 1), byName: map[string]profiles.Profile{}}
}

// do runs a transaction.
func (m *memoryStore) do(ctx context.Context, change func() error) error {
	m.mu.Lock()
	stuck := m.stuck
	m.mu.Unlock()
	if stuck {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	return change()
}

func (m *memoryStore) Profiles(ctx context.Context) (all []profiles.Profile, err error) {
	err = m.do(ctx, func() error {
		all = slices.Collect(maps.Values(m.byName))
		return nil
	})
	return all, err
}

func (m *memoryStore) CreateProfile(ctx context.Context, p profiles.Profile) error {
	return m.do(ctx, func() error {
		if _, taken := m.byName[p.Name]; taken {
			return profiles.ErrNameTaken
		}
		m.byName[p.Name] = p
		return nil
	})
}

func (m *memoryStore) UpdateProfile(ctx context.Context, name string, change func(*profiles.Profile) error) (after profiles.Profile, err error) {
	err = m.do(ctx, func() error {
		before, found := m.byName[name]
		if !found {
			return profiles.ErrUnknown
		}
		after = before
		if err := change(&after); err != nil {
			return err
		}
		if after.Equal(before) {
			after = before
		}
		m.byName[name] = after
		return nil
	})
	return after, err
}

func (m *memoryStore) DeleteProfile(ctx context.Context, name string) error {
	return m.do(ctx, func() error {
		if _, found := m.byName[name]; !found {
			return profiles.ErrUnknown
		}
		delete(m.byName, name)
		return nil
	})
}

func (m *memoryStore) ProfileChanges() <-chan struct{} { return m.changes }

// change changes the store as another replica does, without its hint.
func (m *memoryStore) change(change func(byName map[string]profiles.Profile)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m.byName)
}

func (m *memoryStore) set(err error, stuck bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err, m.stuck = err, stuck
}

// harness is a ProfileRegistry on a store in memory, whose changes are received.
type harness struct {
	*profiles.ProfileRegistry

	store   *memoryStore
	changed <-chan struct{}
	log     *bytes.Buffer // read it when nothing else runs
}

// start starts a registry that stops with the test. Within a bubble of synctest, stop has
// to be called.
func start(t *testing.T, store *memoryStore) (h *harness, stop func()) {
	t.Helper()
	h = &harness{store: store, log: new(bytes.Buffer)}
	h.ProfileRegistry = profiles.NewProfileRegistry(store, slog.New(slog.NewTextHandler(h.log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	h.changed = h.Subscribe(ctx)
	if err := h.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h, func() {
		cancel()
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func (h *harness) names() string {
	var names []string
	for _, p := range h.Profiles() {
		names = append(names, p.Name)
	}
	return strings.Join(names, " ")
}

// expectSignal checks whether the subscriber has been signaled since the last time.
func (h *harness) expectSignal(t *testing.T, want bool) {
	t.Helper()
	select {
	case <-h.changed:
		if !want {
			t.Error("a change is signaled")
		}
	default:
		if want {
			t.Error("no change is signaled")
		}
	}
}

func (h *harness) create(t *testing.T, name string) profiles.Profile {
	t.Helper()
	p, err := h.Create(t.Context(), profile(name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func profile(name string) profiles.Profile { return profiles.Profile{Name: name, Mode: profiles.Full} }
