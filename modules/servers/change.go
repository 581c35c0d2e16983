package servers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"
)

// Register stores a new server and returns its record, without waiting for a connection.
// It returns [Problems] or ErrNameTaken.
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
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return Server{}, err
	}
	defer unlock()
	if err := r.store.Create(ctx, s); err != nil {
		return Server{}, storeError(err)
	}
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	r.publish(s)
	return s, nil
}

// Change changes the record with that id and returns the result. It returns ErrUnknown,
// [Problems] or ErrNameTaken.
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
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := r.Server(id)
	if err != nil {
		return err
	}
	if err := r.store.Delete(ctx, id); err != nil && !errors.Is(err, ErrUnknown) { // unless another replica has removed it
		return storeError(err)
	}
	delete(r.notAutoStarted, id)
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	r.unpublish(s)
	return nil
}

// update changes a record, except for the status, which is that of this replica. After the
// change is stored, wakes reports whether a server that was not auto-started follows its
// desired state from now on. It is decided then because the store may call change several
// times, or in vain.
func (r *ServerRegistry) update(ctx context.Context, id string, change func(*Server) error, wakes func(stored Server) bool) (Server, error) {
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return Server{}, err
	}
	defer unlock()
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
	seen, err := r.Server(id) // the lock keeps it from being removed
	if err != nil {
		return Server{}, err
	}
	s := r.withDesired(stored).withStatusOf(seen)
	r.publish(s)
	return s, nil
}

// storeError returns an error of the store as callers see it: either what is wrong with
// their change, or a [StoreError].
func storeError(err error) error {
	if _, problems := errors.AsType[Problems](err); problems ||
		errors.Is(err, ErrUnknown) || errors.Is(err, ErrNameTaken) || errors.Is(err, context.Canceled) {
		return err
	}
	return &StoreError{err}
}

// withStatusOf returns s with the status of seen.
func (s Server) withStatusOf(seen Server) Server {
	s.Status, s.Error, s.ToolCount, s.ConnectedAt = seen.Status, seen.Error, seen.ToolCount, seen.ConnectedAt
	return s
}

// apply sets the fields that are not nil. Setting AutoConnect also sets Wanted, or the
// server would not be connected at the next start.
func (c Change) apply(s *Server) {
	if c.AutoConnect != nil && *c.AutoConnect && !s.AutoConnect {
		s.Wanted = true
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

// followChanges reloads the records whenever another replica has changed some.
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

// reloadRecords replaces the records with the stored ones, and keeps the statuses of this
// replica.
func (r *ServerRegistry) reloadRecords(ctx context.Context) {
	stored, unlock, err := r.lockAndRead(ctx)
	if err != nil {
		r.log.Error("changes of other replicas not read", slog.String("reason", err.Error()))
		return
	}
	defer unlock()
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	r.unpublishDeleted(stored)
	for _, s := range stored {
		r.mergeStored(r.withDesired(s))
	}
}

// lockAndRead locks changes and reads the records. The lock is held only if err is nil.
func (r *ServerRegistry) lockAndRead(ctx context.Context) (stored []Server, unlock func(), err error) {
	ctx, unlock, err = r.lockChanges(ctx)
	if err != nil {
		return nil, nil, err
	}
	if stored, err = r.store.Servers(ctx); err != nil {
		unlock()
		return nil, nil, err
	}
	return stored, unlock, nil
}

// unpublishDeleted removes the records that are no longer stored. It is called before
// others are published, which may have their names.
func (r *ServerRegistry) unpublishDeleted(stored []Server) {
	for _, s := range r.Servers() {
		if !slices.ContainsFunc(stored, func(other Server) bool { return other.ID == s.ID }) {
			delete(r.notAutoStarted, s.ID)
			r.unpublish(s)
		}
	}
}

// mergeStored publishes a stored record if it differs from the published one.
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

// evictName renames another record that has the name of s to its id, until its own stored
// name is published. No two records are ever published with the same name.
func (r *ServerRegistry) evictName(s Server) {
	if holder, err := r.Named(s.Name); err == nil && holder.ID != s.ID {
		holder.Name = holder.ID
		r.publish(holder)
	}
}
