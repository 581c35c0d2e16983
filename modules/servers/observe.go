package servers

import (
	"context"
	"errors"
	"log/slog"
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
// shown at once, even when it cannot be stored.
func (r *ServerRegistry) Observe(id string, o Observation, events ...Event) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if r.take(ctx) != nil {
		return
	}
	defer r.give()
	s, err := r.Server(id)
	if err != nil {
		return // it was removed meanwhile
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	connected := o.Status.Live() && !s.Status.Live()
	look := func(s *Server) error {
		s.Status, s.Error, s.ToolCount = o.Status, o.Error, o.ToolCount
		if connected {
			s.ConnectedAt = now
		}
		return nil
	}
	_ = look(&s)
	r.put(s)
	if o.Elsewhere {
		return
	}
	if _, err := r.store.Update(ctx, id, look, events...); err != nil && !errors.Is(err, ErrUnknown) {
		r.log.Error("status not stored", slog.String("server", s.Name), slog.String("reason", err.Error()))
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
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if r.take(ctx) != nil {
		return
	}
	defer r.give()
	stored, err := r.store.Servers(ctx)
	if err != nil {
		r.log.Error("changes of other replicas not read", slog.String("reason", err.Error()))
		return
	}
	kept := make(map[string]bool, len(stored))
	for _, s := range stored {
		kept[s.ID] = true
		r.adopt(s)
	}
	for _, s := range r.Servers() {
		if !kept[s.ID] {
			r.drop(s)
		}
	}
}

// storeTime bounds the wait for a store that does not answer.
const storeTime = 10 * time.Second

func (r *ServerRegistry) adopt(stored Server) {
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
