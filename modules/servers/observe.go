package servers

import (
	"context"
	"errors"
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

// Observe takes what is seen of the server with that id, and what happened. It is
// shown as soon as no other change is being stored, even when it cannot be stored.
func (r *ServerRegistry) Observe(id string, o Observation, events ...Event) {
	ctx, give, err := r.take(context.Background())
	if err != nil {
		return // never
	}
	defer give()
	s, err := r.Server(id)
	if err != nil {
		return // it was removed meanwhile
	}
	look := o.look(s)
	_ = look(&s)
	r.put(s)
	if o.Elsewhere {
		return
	}
	if _, err := r.store.Update(ctx, id, look, events...); err != nil && !errors.Is(err, ErrUnknown) {
		r.log.Error("status not stored", slog.String("server", s.Name), slog.String("reason", err.Error()))
	}
}

// look is the change that o makes, of a record that was seen as before.
func (o Observation) look(before Server) func(*Server) error {
	now := time.Now().UTC().Truncate(time.Microsecond)
	connected := o.Status.Live() && !before.Status.Live()
	return func(s *Server) error {
		seen := *s
		s.Status, s.Error, s.ToolCount = o.Status, o.Error, o.ToolCount
		if connected {
			s.ConnectedAt = now
		}
		if !s.same(seen) {
			s.UpdatedAt = now
		}
		return nil
	}
}

// followChanges reads the records again whenever another replica has changed some.
func (r *ServerRegistry) followChanges(changes <-chan struct{}) {
	for {
		select {
		case <-changes:
			r.reread()
		case <-r.stop:
			return
		}
	}
}

// reread takes what is stored, but for the statuses, for what there is.
func (r *ServerRegistry) reread() {
	ctx, give, err := r.take(context.Background())
	if err != nil {
		return // never
	}
	defer give()
	stored, err := r.store.Servers(ctx)
	if err != nil {
		r.log.Error("changes of other replicas not read", slog.String("reason", err.Error()))
		return
	}
	r.dropOthers(stored)
	for _, s := range stored {
		r.adopt(r.wished(s))
	}
}

// dropOthers drops the records that are not stored any more, before others take their
// names.
func (r *ServerRegistry) dropOthers(stored []Server) {
	for _, s := range r.Servers() {
		if !slices.ContainsFunc(stored, func(other Server) bool { return other.ID == s.ID }) {
			delete(r.dormant, s.ID)
			r.drop(s)
		}
	}
}

func (r *ServerRegistry) adopt(stored Server) {
	r.vacate(stored)
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

// vacate gives another record that has the name of s its id for a name. It has a new
// one, which it gets when it is its turn: no two are ever shown with the same.
func (r *ServerRegistry) vacate(s Server) {
	if holder, err := r.Named(s.Name); err == nil && holder.ID != s.ID {
		holder.Name = holder.ID
		r.put(holder)
	}
}
