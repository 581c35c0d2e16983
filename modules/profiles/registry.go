package profiles

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// ProfileRegistry holds all profiles: what is stored, in memory.
type ProfileRegistry struct {
	store Store
	log   *slog.Logger

	// changeLock is a semaphore that holds a token while unlocked. It is held across the
	// store, so that changes reach the store and the map in the same order.
	changeLock chan struct{}

	mu          sync.RWMutex // never held during I/O
	byName      map[string]Profile
	subscribers map[chan struct{}]bool

	cancel  context.CancelFunc // ends the worker, and its use of the store
	workers sync.WaitGroup
}

// NewProfileRegistry returns a registry of the profiles in store, which Start reads.
func NewProfileRegistry(store Store, log *slog.Logger) *ProfileRegistry {
	r := &ProfileRegistry{
		store: store, log: log, changeLock: make(chan struct{}, 1),
		byName: map[string]Profile{}, subscribers: map[chan struct{}]bool{},
	}
	r.changeLock <- struct{}{}
	return r
}

// Start reads the profiles and follows the changes of other replicas.
func (r *ProfileRegistry) Start(ctx context.Context) error {
	if err := r.reload(ctx); err != nil {
		return fmt.Errorf("profiles: %w", err)
	}
	follow, cancel := context.WithCancel(context.WithoutCancel(ctx)) // Fx's context ends when Start returns
	r.cancel = cancel
	if changes := r.store.ProfileChanges(); changes != nil {
		r.workers.Go(func() { r.followChanges(follow, changes) })
	}
	return nil
}

// Stop stops following changes.
func (r *ProfileRegistry) Stop(context.Context) error {
	r.cancel()
	r.workers.Wait()
	return nil
}

// Profiles returns all profiles, ordered by name.
func (r *ProfileRegistry) Profiles() []Profile {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Values(r.byName), func(a, b Profile) int { return strings.Compare(a.Name, b.Name) })
}

// Profile returns the profile with that name, if there is one.
func (r *ProfileRegistry) Profile(name string) (Profile, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, found := r.byName[name]
	return p, found
}

// Subscribe returns a channel that receives after profiles have changed, once for any
// number of changes since the last receive, until ctx ends.
func (r *ProfileRegistry) Subscribe(ctx context.Context) <-chan struct{} {
	changed := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscribers[changed] = true
	context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subscribers, changed)
	})
	return changed
}

// retryPause is the time between two attempts to read the profiles.
const retryPause = 5 * time.Second

// followChanges reads the profiles again whenever another replica has changed some.
func (r *ProfileRegistry) followChanges(ctx context.Context, changes <-chan struct{}) {
	var retry <-chan time.Time
	for {
		select {
		case <-changes:
		case <-retry:
		case <-ctx.Done():
			return
		}
		retry = nil
		if err := r.reload(ctx); err != nil && ctx.Err() == nil {
			r.log.Error("profiles of other replicas not read yet", slog.String("reason", err.Error()))
			retry = time.After(retryPause)
		}
	}
}

// reload replaces the profiles with the stored ones.
func (r *ProfileRegistry) reload(ctx context.Context) error {
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	stored, err := r.store.Profiles(ctx)
	if err != nil {
		return err
	}
	r.replaceAll(stored)
	return nil
}

// replaceAll publishes the stored profiles if they differ. The caller holds the change
// lock.
func (r *ProfileRegistry) replaceAll(stored []Profile) {
	next := make(map[string]Profile, len(stored))
	for _, p := range stored {
		next[p.Name] = p
	}
	r.mu.RLock()
	same := maps.EqualFunc(r.byName, next, Profile.Equal)
	r.mu.RUnlock()
	if !same {
		r.publish(func() { r.byName = next })
	}
}

// publish changes the map and signals the subscribers.
func (r *ProfileRegistry) publish(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	for changed := range r.subscribers {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}
