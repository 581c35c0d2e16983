package servers

import (
	"context"
	"log/slog"
	"slices"
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
	r.show.Lock()
	defer r.show.Unlock()
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
	if !s.same(before) {
		s.UpdatedAt = now
	}
	r.put(s)
	if !o.Elsewhere {
		r.writer.add(id, seen)
	}
}

// followChanges reads the records again whenever another replica has changed some.
func (r *ServerRegistry) followChanges(ctx context.Context, changes <-chan struct{}) {
	for {
		select {
		case <-changes:
			r.reread(ctx)
		case <-r.stop:
			return
		}
	}
}

// reread takes what is stored, but for the statuses, for what there is.
func (r *ServerRegistry) reread(ctx context.Context) {
	stored, give, err := r.readAgain(ctx)
	if err != nil {
		r.log.Error("changes of other replicas not read", slog.String("reason", err.Error()))
		return
	}
	defer give()
	r.show.Lock()
	defer r.show.Unlock()
	r.dropOthers(stored)
	for _, s := range stored {
		r.merge(r.withDesired(s))
	}
}

// readAgain reads the records in turn with changes. After an error there is no turn to give back.
func (r *ServerRegistry) readAgain(ctx context.Context) (stored []Server, give func(), err error) {
	ctx, give, err = r.take(ctx)
	if err != nil {
		return nil, nil, err
	}
	if stored, err = r.store.Servers(ctx); err != nil {
		give()
		return nil, nil, err
	}
	return stored, give, nil
}

// dropOthers drops the records that are not stored any more, before others take their
// names.
func (r *ServerRegistry) dropOthers(stored []Server) {
	for _, s := range r.Servers() {
		if !slices.ContainsFunc(stored, func(other Server) bool { return other.ID == s.ID }) {
			delete(r.notAutoStarted, s.ID)
			r.drop(s)
		}
	}
}

func (r *ServerRegistry) merge(stored Server) {
	r.evictName(stored)
	seen, err := r.Server(stored.ID)
	if err != nil {
		r.put(stored.unobserved())
		return
	}
	next := stored.observedAs(seen)
	next.UpdatedAt = seen.UpdatedAt
	if !next.same(seen) {
		next.UpdatedAt = stored.UpdatedAt
		r.put(next)
	}
}

// evictName gives another record that has the name of s its id for a name. It has a new
// one, which it gets when it is its turn: no two are ever shown with the same.
func (r *ServerRegistry) evictName(s Server) {
	if holder, err := r.Named(s.Name); err == nil && holder.ID != s.ID {
		holder.Name = holder.ID
		r.put(holder)
	}
}
