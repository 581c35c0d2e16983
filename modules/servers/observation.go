package servers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Observation is what this replica sees of a server.
type Observation struct {
	Status    Status
	ToolCount int
	Error     string
	// Elsewhere tells that another replica runs the server: what is seen here is
	// not stored.
	Elsewhere bool
}

// Observe takes what is seen of the server with that id, and what happened. It is shown
// at once, and stored when the store takes it.
func (r *ServerRegistry) Observe(id string, o Observation, events ...Event) {
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	before, err := r.Server(id)
	if err != nil {
		return // it was removed meanwhile
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

// pendingObservation is what is not stored yet of what was seen of one server: its newest state,
// and what happened.
type pendingObservation struct {
	Observation

	name        string    // the server's
	connectedAt time.Time // zero: it was not
	events      []Event
	logged      bool // somebody has read that it could not be stored
}

// maxEvents bounds the events of a server that wait: of more the store would forget the
// oldest, too.
const maxEvents = 1000

// apply is the change of the record.
func (s pendingObservation) apply(record *Server) error {
	record.Status, record.Error, record.ToolCount = s.Status, s.Error, s.ToolCount
	if !s.connectedAt.IsZero() {
		record.ConnectedAt = s.connectedAt
	}
	return nil
}

// mergeInto is both observations in one, of which later is the newer.
func (s pendingObservation) mergeInto(later pendingObservation) pendingObservation {
	later.events = append(slices.Clip(s.events), later.events...)
	later.events = later.events[max(len(later.events)-maxEvents, 0):]
	if later.connectedAt.IsZero() {
		later.connectedAt = s.connectedAt
	}
	later.logged = later.logged || s.logged
	return later
}

// writer stores what is seen of the servers, so that who observes one waits for no
// store: the newest state of each, and every event.
type writer struct {
	store   Records
	log     *slog.Logger
	changed chan struct{} // something waits

	mu      sync.Mutex
	order   []string // ids of waiting, the first is the next
	pending map[string]pendingObservation
}

func newWriter(store Records, log *slog.Logger) *writer {
	return &writer{store: store, log: log, changed: make(chan struct{}, 1), pending: make(map[string]pendingObservation)}
}

// enqueue has the observation stored.
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

// discard drops what waits of a server that is removed.
func (w *writer) discard(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dequeue(id)
}

// dequeue takes out what waits of a server; the lock is held.
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

// retryPause is between two attempts to store what could not be stored.
const retryPause = 5 * time.Second

// run stores what comes until stop is closed, and then what is left, once. The context
// ends what it does with the store.
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

// writeAll stores what waits. It reports false if something could not be stored, which
// waits on.
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

// writeOne stores one observation, or keeps it. What the store did without an answer is done
// again: an event may be there twice, but never be missing.
func (w *writer) writeOne(ctx context.Context, id string, seen pendingObservation) (stored bool) {
	_, err := w.store.Update(ctx, id, seen.apply, seen.events...)
	if err == nil || errors.Is(err, ErrUnknown) { // or it was removed meanwhile
		return true
	}
	if !seen.logged {
		w.log.Error("status not stored yet", slog.String("server", seen.name), slog.String("reason", err.Error()))
	}
	seen.logged = true
	w.requeue(id, seen)
	return false
}

// requeue puts an observation back, in front of what was seen since.
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
