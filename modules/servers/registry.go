package servers

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Watcher receives the changes of records. Its methods are called one at a time, in the
// order of the changes, and must not block.
type Watcher interface {
	// Changed receives a new or changed record.
	Changed(s Server)
	// Removed receives a record that was removed.
	Removed(s Server)
}

// ServerRegistry holds the records of all servers: what is stored, with the status that
// this replica observes.
type ServerRegistry struct {
	store    Records
	cluster  Cluster
	log      *slog.Logger
	watchers []Watcher

	changeLock chan struct{} // a semaphore: holds a token while unlocked
	// notAutoStarted has the servers that are stored as wanted but were not to be
	// connected when this replica started. It is guarded by changeLock.
	notAutoStarted map[string]bool

	// publishMu orders changes of the list and calls of the watchers. It is never held
	// during I/O.
	publishMu sync.Mutex
	mu        sync.RWMutex
	list      []Server // in the order of their registration

	writer  *writer
	stop    chan struct{}
	cancel  context.CancelFunc // cancels the workers' use of the store
	workers sync.WaitGroup
}

// NewServerRegistry returns a registry of the records in store, which Start reads.
func NewServerRegistry(store Records, cluster Cluster, log *slog.Logger) *ServerRegistry {
	r := &ServerRegistry{
		store: store, cluster: cluster, log: log,
		changeLock: make(chan struct{}, 1), notAutoStarted: make(map[string]bool),
		writer: newWriter(store, log), stop: make(chan struct{}),
	}
	r.changeLock <- struct{}{}
	return r
}

// Watch adds a watcher. It is called before Start.
func (r *ServerRegistry) Watch(w Watcher) { r.watchers = append(r.watchers, w) }

// Start reads the records and follows the changes of other replicas. A server without
// AutoConnect is no longer wanted.
func (r *ServerRegistry) Start(ctx context.Context) error {
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer unlock()
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

// startWorkers starts the goroutines that Stop waits for.
func (r *ServerRegistry) startWorkers(changes <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.workers.Go(func() { r.writer.run(ctx, r.stop) })
	if changes != nil {
		r.workers.Go(func() { r.followChanges(ctx, changes) })
	}
}

// withDesired returns the stored record with the desired state of this replica.
func (r *ServerRegistry) withDesired(stored Server) Server {
	if !stored.Wanted {
		delete(r.notAutoStarted, stored.ID) // the next change to wanted counts
	}
	stored.Wanted = stored.Wanted && !r.notAutoStarted[stored.ID]
	return stored
}

// flushTimeout bounds the time to store pending observations when the service stops.
const flushTimeout = 2 * time.Second

// Stop stores pending observations, as far as the store accepts them in time, and stops
// following changes.
func (r *ServerRegistry) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, r.cancel)()
	close(r.stop)
	r.workers.Wait()
	r.cancel()
	return nil
}

// withInitialStatus returns s with the status before the first attempt to connect.
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

// indexOf returns the index of the record with that id, or -1. The caller holds mu.
func (r *ServerRegistry) indexOf(id string) int {
	return slices.IndexFunc(r.list, func(s Server) bool { return s.ID == id })
}

// lockChanges locks the records for a change, so that changes reach the store and the list
// in the same order. The returned context bounds the wait for the lock and for the store;
// unlock releases both.
func (r *ServerRegistry) lockChanges(ctx context.Context) (bounded context.Context, unlock func(), err error) {
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

// storeTimeout bounds the wait for the lock and for the store.
const storeTimeout = 10 * time.Second

// publish sets a record and calls the watchers. The caller holds publishMu.
func (r *ServerRegistry) publish(s Server) {
	r.mu.Lock()
	if i := r.indexOf(s.ID); i >= 0 {
		r.list[i] = s
	} else { // other replicas may have registered later ones already
		r.list = append(r.list, s)
		slices.SortStableFunc(r.list, func(a, b Server) int { return a.RegisteredAt.Compare(b.RegisteredAt) })
	}
	r.mu.Unlock()
	for _, w := range r.watchers {
		w.Changed(s)
	}
}

// unpublish removes a record and calls the watchers. The caller holds publishMu.
func (r *ServerRegistry) unpublish(s Server) {
	r.writer.discard(s.ID)
	r.mu.Lock()
	r.list = slices.DeleteFunc(r.list, func(other Server) bool { return other.ID == s.ID })
	r.mu.Unlock()
	for _, w := range r.watchers {
		w.Removed(s)
	}
}
