package servers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
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
	mu   sync.RWMutex
	list []Server // in the order of their registration

	stop   chan struct{}
	follow sync.WaitGroup
}

// NewServerRegistry returns a registry of what store holds; Start reads it.
func NewServerRegistry(store Records, cluster Cluster, log *slog.Logger) *ServerRegistry {
	r := &ServerRegistry{
		store: store, cluster: cluster, log: log,
		turn: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	r.turn <- struct{}{}
	return r
}

// Watch has w told of all records from Start on.
func (r *ServerRegistry) Watch(w Watcher) { r.watchers = append(r.watchers, w) }

// Start reads the records and follows what other replicas change. A server whose
// AutoConnect is not set is not wanted any more.
func (r *ServerRegistry) Start(ctx context.Context) error {
	if err := r.take(ctx); err != nil {
		return err
	}
	defer r.give()
	stored, err := r.store.Servers(ctx)
	if err != nil {
		return fmt.Errorf("servers: %w", err)
	}
	for _, s := range stored {
		s.Wanted = s.Wanted && s.AutoConnect
		r.put(s.unobserved())
	}
	if changes := r.cluster.Changes(); changes != nil {
		r.follow.Go(func() { r.followChanges(changes) }) //nolint:contextcheck // Fx's context ends when Start returns
	}
	return nil
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
// the store, the list and the watchers in one order.
func (r *ServerRegistry) take(ctx context.Context) error {
	select {
	case <-r.turn:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *ServerRegistry) give() { r.turn <- struct{}{} }

// put shows a record as it is now and tells the watchers.
func (r *ServerRegistry) put(s Server) {
	r.mu.Lock()
	if i := r.index(s.ID); i >= 0 {
		r.list[i] = s
	} else {
		r.list = append(r.list, s)
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
