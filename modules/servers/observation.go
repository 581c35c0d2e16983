package servers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Observation is the status of a server as this replica sees it.
type Observation struct {
	Status    Status
	ToolCount int
	Error     string
	// Elsewhere reports that another replica runs the server. The observation is then not
	// stored.
	Elsewhere bool
}

// Observe publishes the observed status of the server with that id at once, and stores it,
// with the events, in the background.
func (r *ServerRegistry) Observe(id string, o Observation, events ...Event) {
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	before, err := r.Server(id)
	if err != nil {
		return // it was removed concurrently
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	seen := pendingObservation{Observation: o, name: before.Name, events: events}
	if o.Status.Live() && !before.Status.Live() {
		seen.connectedAt = now
	}
	s := before
	_ = seen.apply(&s)
	if !s.equal(before) {
		s.UpdatedAt = now
	}
	r.publish(s)
	if !o.Elsewhere {
		r.writer.enqueue(id, seen)
	}
}

// pendingObservation is what was observed of one server and is not stored yet: its latest
// status, and all events.
type pendingObservation struct {
	Observation

	name        string    // the server's
	connectedAt time.Time // zero if it was not connected
	events      []Event
	logged      bool // the failure has been logged
}

// maxEvents bounds the pending events of a server. The store keeps no more either.
const maxEvents = 1000

// apply sets the observed fields of the record.
func (s pendingObservation) apply(record *Server) error {
	record.Status, record.Error, record.ToolCount = s.Status, s.Error, s.ToolCount
	if !s.connectedAt.IsZero() {
		record.ConnectedAt = s.connectedAt
	}
	return nil
}

// mergeInto returns both observations as one; later is the newer one.
func (s pendingObservation) mergeInto(later pendingObservation) pendingObservation {
	later.events = append(slices.Clip(s.events), later.events...)
	later.events = later.events[max(len(later.events)-maxEvents, 0):]
	if later.connectedAt.IsZero() {
		later.connectedAt = s.connectedAt
	}
	later.logged = later.logged || s.logged
	return later
}

// writer stores observations in the background, so that no observer waits for the store.
// Of each server it stores the latest status and every event.
type writer struct {
	store   Records
	log     *slog.Logger
	changed chan struct{} // signals that something is pending

	mu      sync.Mutex
	order   []string // ids of pending, in the order of writing
	pending map[string]pendingObservation
}

func newWriter(store Records, log *slog.Logger) *writer {
	return &writer{store: store, log: log, changed: make(chan struct{}, 1), pending: make(map[string]pendingObservation)}
}

// enqueue queues the observation.
func (w *writer) enqueue(id string, seen pendingObservation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	earlier, found := w.pending[id]
	if !found {
		w.order = append(w.order, id)
	}
	w.pending[id] = earlier.mergeInto(seen)
	w.signal()
}

// discard removes the pending observation of a server that was removed.
func (w *writer) discard(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dequeue(id)
}

// dequeue removes and returns the pending observation of a server. The caller holds the
// lock.
func (w *writer) dequeue(id string) (seen pendingObservation, found bool) {
	seen, found = w.pending[id]
	delete(w.pending, id)
	w.order = slices.DeleteFunc(w.order, func(other string) bool { return other == id })
	return seen, found
}

func (w *writer) signal() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// retryPause is the time between two attempts to store an observation.
const retryPause = 5 * time.Second

// run stores observations until stop is closed, and then tries once more to store the
// pending ones. ctx cancels the store's operations.
func (w *writer) run(ctx context.Context, stop <-chan struct{}) {
	for {
		select {
		case <-w.changed:
		case <-stop:
			w.writeAll(ctx)
			if left := len(w.pendingIDs()); left > 0 {
				w.log.Error("statuses not stored: the service stops", slog.Int("servers", left))
			}
			return
		}
		if w.writeAll(ctx) {
			continue
		}
		select {
		case <-time.After(retryPause):
			w.signal()
		case <-stop:
		}
	}
}

// writeAll stores all pending observations. It returns false if one could not be stored
// and remains pending.
func (w *writer) writeAll(ctx context.Context) (stored bool) {
	stored = true
	for _, id := range w.pendingIDs() {
		if ctx.Err() != nil {
			return false
		}
		w.mu.Lock()
		seen, found := w.dequeue(id)
		w.mu.Unlock()
		if found && !w.writeOne(ctx, id, seen) {
			stored = false
		}
	}
	return stored
}

func (w *writer) pendingIDs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.order)
}

// writeOne stores one observation, or requeues it. A write whose outcome is unknown is
// repeated: an event may be stored twice, but is never lost.
func (w *writer) writeOne(ctx context.Context, id string, seen pendingObservation) (stored bool) {
	_, err := w.store.Update(ctx, id, seen.apply, seen.events...)
	if err == nil || errors.Is(err, ErrUnknown) { // or it was removed concurrently
		return true
	}
	if !seen.logged {
		w.log.Error("status not stored yet", slog.String("server", seen.name), slog.String("reason", err.Error()))
	}
	seen.logged = true
	w.requeue(id, seen)
	return false
}

// requeue puts an observation back in front of later ones.
func (w *writer) requeue(id string, seen pendingObservation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	later, found := w.pending[id]
	if !found {
		w.order = append(w.order, id)
		w.pending[id] = seen
		return
	}
	w.pending[id] = seen.mergeInto(later)
}
