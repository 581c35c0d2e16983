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

	changeLock chan struct{} // holds a token: whoever changes records takes it
	// notAutoStarted are those that are stored as wanted, but were not to be connected when
	// this replica started; whoever has the turn uses it.
	notAutoStarted map[string]bool

	// publishMu orders what becomes of the list and what the watchers are told. It is never
	// held across the store.
	publishMu sync.Mutex
	mu        sync.RWMutex
	list      []Server // in the order of their registration

	writer  *writer
	stop    chan struct{}
	cancel  context.CancelFunc // of what the goroutines do with the store
	workers sync.WaitGroup
}

// NewServerRegistry returns a registry of what store holds; Start reads it.
func NewServerRegistry(store Records, cluster Cluster, log *slog.Logger) *ServerRegistry {
	r := &ServerRegistry{
		store: store, cluster: cluster, log: log,
		changeLock: make(chan struct{}, 1), notAutoStarted: make(map[string]bool),
		writer: newWriter(store, log), stop: make(chan struct{}),
	}
	r.changeLock <- struct{}{}
	return r
}

// Watch has w told of all records from Start on.
func (r *ServerRegistry) Watch(w Watcher) { r.watchers = append(r.watchers, w) }

// Start reads the records and follows what other replicas change. A server whose
// AutoConnect is not set is not wanted any more.
func (r *ServerRegistry) Start(ctx context.Context) error {
	ctx, give, err := r.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer give()
	stored, err := r.store.Servers(ctx)
	if err != nil {
		return fmt.Errorf("servers: %w", err)
	}
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	for _, s := range stored {
		r.notAutoStarted[s.ID] = !s.AutoConnect
		r.publish(r.withDesired(s).withInitialStatus())
	}
	r.startWorkers(r.cluster.Changes()) //nolint:contextcheck // Fx's context ends when Start returns
	return nil
}

// startWorkers starts the goroutines, which Stop joins.
func (r *ServerRegistry) startWorkers(changes <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.workers.Go(func() { r.writer.run(ctx, r.stop) })
	if changes != nil {
		r.workers.Go(func() { r.followChanges(ctx, changes) })
	}
}

// withDesired is what is stored, with the desired state as it is here.
func (r *ServerRegistry) withDesired(stored Server) Server {
	if !stored.Wanted {
		delete(r.notAutoStarted, stored.ID) // the next desired state is a new one
	}
	stored.Wanted = stored.Wanted && !r.notAutoStarted[stored.ID]
	return stored
}

// flushTimeout bounds the wait for what is still to be stored when the service stops.
const flushTimeout = 2 * time.Second

// Stop stores what is not stored yet, as far as the store takes it in time, and ends the
// following of changes.
func (r *ServerRegistry) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, r.cancel)()
	close(r.stop)
	r.workers.Wait()
	r.cancel()
	return nil
}

// withInitialStatus is s before anybody here has tried to connect it.
func (s Server) withInitialStatus() Server {
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
	if i := r.indexOf(id); i >= 0 {
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

// indexOf is where the record with that id is, or -1; the lock is held.
func (r *ServerRegistry) indexOf(id string) int {
	return slices.IndexFunc(r.list, func(s Server) bool { return s.ID == id })
}

// lockChanges waits for the right to change records, which give gives back: changes reach
// the store and the list in one order. The context that it returns bounds the wait for
// those before and for a store that does not answer.
func (r *ServerRegistry) lockChanges(ctx context.Context) (bounded context.Context, give func(), err error) {
	bounded, cancel := context.WithTimeout(ctx, storeTimeout)
	select {
	case <-r.changeLock:
	case <-bounded.Done():
		cancel()
		return nil, nil, storeError(bounded.Err())
	}
	return bounded, func() {
		cancel()
		r.changeLock <- struct{}{}
	}, nil
}

// storeTimeout bounds the wait for a store that does not answer.
const storeTimeout = 10 * time.Second

// publish shows a record as it is now and tells the watchers; the caller holds show.
func (r *ServerRegistry) publish(s Server) {
	r.mu.Lock()
	if i := r.indexOf(s.ID); i >= 0 {
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

// unpublish takes a record off the list and tells the watchers; the caller holds show.
func (r *ServerRegistry) unpublish(s Server) {
	r.writer.discard(s.ID)
	r.mu.Lock()
	r.list = slices.DeleteFunc(r.list, func(other Server) bool { return other.ID == s.ID })
	r.mu.Unlock()
	for _, w := range r.watchers {
		w.Removed(s)
	}
}
