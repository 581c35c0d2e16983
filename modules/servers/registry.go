package servers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Watcher is told of records. Its methods are called one after the other, in the
// order of the changes, and must not block.
type Watcher interface {
	// Changed takes a record that is new or has changed.
	Changed(s Server)
	// Removed takes a record that is gone.
	Removed(s Server)
}

// ServerRegistry holds the records of all servers: the stored ones, with the status
// that this replica of the service sees.
type ServerRegistry struct {
	store    Records
	cluster  Cluster
	log      *slog.Logger
	watchers []Watcher

	turn chan struct{} // holds a token: whoever changes records takes it
	// dormant are those that are stored as wanted, but were not to be connected when
	// this replica started; whoever has the turn uses it.
	dormant map[string]bool

	mu   sync.RWMutex
	list []Server // in the order of their registration

	stop   chan struct{}
	follow sync.WaitGroup
}

// NewServerRegistry returns a registry of what store holds; Start reads it.
func NewServerRegistry(store Records, cluster Cluster, log *slog.Logger) *ServerRegistry {
	r := &ServerRegistry{
		store: store, cluster: cluster, log: log,
		turn: make(chan struct{}, 1), dormant: make(map[string]bool), stop: make(chan struct{}),
	}
	r.turn <- struct{}{}
	return r
}

// Watch has w told of all records from Start on.
func (r *ServerRegistry) Watch(w Watcher) { r.watchers = append(r.watchers, w) }

// Start reads the records and follows what other replicas change. A server whose
// AutoConnect is not set is not wanted any more.
func (r *ServerRegistry) Start(ctx context.Context) error {
	ctx, give, err := r.take(ctx)
	if err != nil {
		return err
	}
	defer give()
	stored, err := r.store.Servers(ctx)
	if err != nil {
		return fmt.Errorf("servers: %w", err)
	}
	for _, s := range stored {
		r.dormant[s.ID] = !s.AutoConnect
		r.put(r.wished(s).unobserved())
	}
	if changes := r.cluster.Changes(); changes != nil {
		r.follow.Go(func() { r.followChanges(changes) }) //nolint:contextcheck // Fx's context ends when Start returns
	}
	return nil
}

// wished is what is stored, with the wish as it is here.
func (r *ServerRegistry) wished(stored Server) Server {
	if !stored.Wanted {
		delete(r.dormant, stored.ID) // the next wish is a new one
	}
	stored.Wanted = stored.Wanted && !r.dormant[stored.ID]
	return stored
}

// Stop ends the following of changes.
func (r *ServerRegistry) Stop(context.Context) error {
	close(r.stop)
	r.follow.Wait()
	return nil
}

// unobserved is s before anybody here has tried to connect it.
func (s Server) unobserved() Server {
	s.Status, s.Error, s.ToolCount = Disconnected, "", 0
	if s.Wanted {
		s.Status = Connecting
	}
	return s
}

// Servers returns all records in the order of their registration.
func (r *ServerRegistry) Servers() []Server {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.list)
}

// Server returns the record with that id, or ErrUnknown.
func (r *ServerRegistry) Server(id string) (Server, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if i := r.index(id); i >= 0 {
		return r.list[i], nil
	}
	return Server{}, ErrUnknown
}

// Named returns the record with that name, or ErrUnknown.
func (r *ServerRegistry) Named(name string) (Server, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i := range r.list {
		if r.list[i].Name == name {
			return r.list[i], nil
		}
	}
	return Server{}, ErrUnknown
}

// index is where the record with that id is, or -1; the lock is held.
func (r *ServerRegistry) index(id string) int {
	return slices.IndexFunc(r.list, func(s Server) bool { return s.ID == id })
}

// take waits for the right to change records, which give gives back: changes reach
// the store, the list and the watchers in one order. The context that it returns
// bounds the wait for a store that does not answer.
func (r *ServerRegistry) take(ctx context.Context) (bounded context.Context, give func(), err error) {
	select {
	case <-r.turn:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	bounded, cancel := context.WithTimeout(ctx, storeTime)
	return bounded, func() {
		cancel()
		r.turn <- struct{}{}
	}, nil
}

// storeTime bounds the wait for a store that does not answer.
const storeTime = 10 * time.Second

// put shows a record as it is now and tells the watchers.
func (r *ServerRegistry) put(s Server) {
	r.mu.Lock()
	if i := r.index(s.ID); i >= 0 {
		r.list[i] = s
	} else { // another replica may have registered it before some that are here
		r.list = append(r.list, s)
		slices.SortStableFunc(r.list, func(a, b Server) int { return a.RegisteredAt.Compare(b.RegisteredAt) })
	}
	r.mu.Unlock()
	for _, w := range r.watchers {
		w.Changed(s)
	}
}

func (r *ServerRegistry) drop(s Server) {
	r.mu.Lock()
	r.list = slices.DeleteFunc(r.list, func(other Server) bool { return other.ID == s.ID })
	r.mu.Unlock()
	for _, w := range r.watchers {
		w.Removed(s)
	}
}
