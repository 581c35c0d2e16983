package servers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Register stores a new server and returns its record. It returns [Problems], or
// ErrNameTaken. It waits for no connection.
func (r *ServerRegistry) Register(ctx context.Context, d Draft) (Server, error) {
	if problems := d.Validate(); len(problems) > 0 {
		return Server{}, problems
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	s := Server{
		ID: uuid.NewString(), Name: d.Name, Description: d.Description,
		Transport: d.Transport, Connection: d.Connection,
		AutoConnect: d.AutoConnect, Wanted: d.AutoConnect, HealthCheckURL: d.HealthCheckURL,
		RegisteredAt: now, UpdatedAt: now,
	}.withInitialStatus()
	ctx, give, err := r.lockChanges(ctx)
	if err != nil {
		return Server{}, err
	}
	defer give()
	if err := r.store.Create(ctx, s); err != nil {
		return Server{}, storeError(err)
	}
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	r.publish(s)
	return s, nil
}

// Change changes the record with that id and returns it as it is then. It returns
// ErrUnknown, [Problems] or ErrNameTaken.
func (r *ServerRegistry) Change(ctx context.Context, id string, c Change) (Server, error) {
	return r.update(ctx, id, func(s *Server) error {
		if problems := c.Validate(*s); len(problems) > 0 {
			return problems
		}
		c.apply(s)
		return nil
	}, func(stored Server) (wakes bool) { return stored.AutoConnect })
}

// SetWanted sets the desired state of the server with that id. It returns ErrUnknown.
func (r *ServerRegistry) SetWanted(ctx context.Context, id string, wanted bool) (Server, error) {
	return r.update(ctx, id, func(s *Server) error {
		s.Wanted = wanted
		return nil
	}, func(Server) (wakes bool) { return true })
}

// Remove removes the record with that id. It returns ErrUnknown.
func (r *ServerRegistry) Remove(ctx context.Context, id string) error {
	ctx, give, err := r.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer give()
	s, err := r.Server(id)
	if err != nil {
		return err
	}
	if err := r.store.Delete(ctx, id); err != nil && !errors.Is(err, ErrUnknown) { // or another replica was faster
		return storeError(err)
	}
	delete(r.notAutoStarted, id)
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	r.unpublish(s)
	return nil
}

// update changes a record, but for the status that this replica sees. Once it is stored,
// wakes tells whether the server is connected as wanted from now on, although it was not on start:
// the store may run change in vain, or twice.
func (r *ServerRegistry) update(ctx context.Context, id string, change func(*Server) error, wakes func(stored Server) bool) (Server, error) {
	ctx, give, err := r.lockChanges(ctx)
	if err != nil {
		return Server{}, err
	}
	defer give()
	if _, err := r.Server(id); err != nil {
		return Server{}, err
	}
	stored, err := r.store.Update(ctx, id, change)
	if err != nil {
		return Server{}, storeError(err)
	}
	if wakes(stored) {
		delete(r.notAutoStarted, id)
	}
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	seen, err := r.Server(id) // only who has the turn removes it
	if err != nil {
		return Server{}, err
	}
	s := r.withDesired(stored).withStatusOf(seen)
	r.publish(s)
	return s, nil
}

// storeError is an error of the store as callers see it: what is wrong with their change,
// or with the database.
func storeError(err error) error {
	if _, problems := errors.AsType[Problems](err); problems ||
		errors.Is(err, ErrUnknown) || errors.Is(err, ErrNameTaken) || errors.Is(err, context.Canceled) {
		return err
	}
	return &StoreError{err}
}

// withStatusOf is s with the status of seen.
func (s Server) withStatusOf(seen Server) Server {
	s.Status, s.Error, s.ToolCount, s.ConnectedAt = seen.Status, seen.Error, seen.ToolCount, seen.ConnectedAt
	return s
}

// apply changes what is to be changed. Who has a server connected at each start wants
// it connected.
func (c Change) apply(s *Server) {
	if c.AutoConnect != nil && *c.AutoConnect && !s.AutoConnect {
		s.Wanted = true // or it would not be connected at the next start
	}
	setIfGiven(&s.Name, c.Name)
	setIfGiven(&s.Description, c.Description)
	setIfGiven(&s.Transport, c.Transport)
	setIfGiven(&s.Connection, c.Connection)
	setIfGiven(&s.AutoConnect, c.AutoConnect)
	setIfGiven(&s.HealthCheckURL, c.HealthCheckURL)
}

func setIfGiven[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// followChanges reads the records again whenever another replica has changed some.
func (r *ServerRegistry) followChanges(ctx context.Context, changes <-chan struct{}) {
	for {
		select {
		case <-changes:
			r.reloadRecords(ctx)
		case <-r.stop:
			return
		}
	}
}

// reloadRecords takes what is stored, but for the statuses, for what there is.
func (r *ServerRegistry) reloadRecords(ctx context.Context) {
	stored, give, err := r.lockAndRead(ctx)
	if err != nil {
		r.log.Error("changes of other replicas not read", slog.String("reason", err.Error()))
		return
	}
	defer give()
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	r.unpublishDeleted(stored)
	for _, s := range stored {
		r.mergeStored(r.withDesired(s))
	}
}

// lockAndRead reads the records in turn with changes. After an error there is no turn to give back.
func (r *ServerRegistry) lockAndRead(ctx context.Context) (stored []Server, give func(), err error) {
	ctx, give, err = r.lockChanges(ctx)
	if err != nil {
		return nil, nil, err
	}
	if stored, err = r.store.Servers(ctx); err != nil {
		give()
		return nil, nil, err
	}
	return stored, give, nil
}

// unpublishDeleted drops the records that are not stored any more, before others take their
// names.
func (r *ServerRegistry) unpublishDeleted(stored []Server) {
	for _, s := range r.Servers() {
		if !slices.ContainsFunc(stored, func(other Server) bool { return other.ID == s.ID }) {
			delete(r.notAutoStarted, s.ID)
			r.unpublish(s)
		}
	}
}

func (r *ServerRegistry) mergeStored(stored Server) {
	r.evictName(stored)
	seen, err := r.Server(stored.ID)
	if err != nil {
		r.publish(stored.withInitialStatus())
		return
	}
	next := stored.withStatusOf(seen)
	next.UpdatedAt = seen.UpdatedAt
	if !next.equal(seen) {
		next.UpdatedAt = stored.UpdatedAt
		r.publish(next)
	}
}

// evictName gives another record that has the name of s its id for a name. It has a new
// one, which it gets when it is its turn: no two are ever shown with the same.
func (r *ServerRegistry) evictName(s Server) {
	if holder, err := r.Named(s.Name); err == nil && holder.ID != s.ID {
		holder.Name = holder.ID
		r.publish(holder)
	}
}
