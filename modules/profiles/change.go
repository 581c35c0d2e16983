package profiles

import (
	"context"
	"errors"
	"time"

	"mcp-aggregator/modules/servers"
)

// Create stores a new profile and returns it with its times. It returns
// [servers.Problems], ErrNameTaken or ErrTooMany.
func (r *ProfileRegistry) Create(ctx context.Context, p Profile) (Profile, error) {
	if problems := p.Validate(); len(problems) > 0 {
		return Profile{}, problems
	}
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return Profile{}, err
	}
	defer unlock()
	if _, taken := r.Profile(p.Name); !taken && len(r.Profiles()) >= MaxProfiles {
		return Profile{}, ErrTooMany
	}
	p.CreatedAt = now()
	p.UpdatedAt = p.CreatedAt
	if err := r.store.CreateProfile(ctx, p); err != nil {
		return Profile{}, r.failed(ctx, err)
	}
	r.publish(func() { r.byName[p.Name] = p })
	return p, nil
}

// Change changes the profile with that name and returns the result. It returns ErrUnknown
// or [servers.Problems].
func (r *ProfileRegistry) Change(ctx context.Context, name string, c Change) (Profile, error) {
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return Profile{}, err
	}
	defer unlock()
	before, found := r.Profile(name)
	if !found {
		return Profile{}, ErrUnknown
	}
	after, err := r.store.UpdateProfile(ctx, name, func(p *Profile) error {
		*p = c.Apply(*p)
		p.UpdatedAt = now()
		if problems := p.Validate(); len(problems) > 0 {
			return problems
		}
		return nil
	})
	if err != nil {
		return Profile{}, r.failed(ctx, err)
	}
	if !after.Equal(before) {
		r.publish(func() { r.byName[name] = after })
	}
	return after, nil
}

// Remove removes the profile with that name. It returns ErrUnknown.
func (r *ProfileRegistry) Remove(ctx context.Context, name string) error {
	ctx, unlock, err := r.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, found := r.Profile(name); !found {
		return ErrUnknown
	}
	if err := r.store.DeleteProfile(ctx, name); err != nil && !errors.Is(err, ErrUnknown) { // unless another replica has removed it
		return r.failed(ctx, err)
	}
	r.publish(func() { delete(r.byName, name) })
	return nil
}

// now returns the time with the precision of stores.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// storeTimeout bounds the wait for the lock and for the store.
const storeTimeout = 10 * time.Second

// lockChanges locks the profiles for a change. The returned context bounds the wait for
// the lock and for the store; unlock releases both.
func (r *ProfileRegistry) lockChanges(ctx context.Context) (bounded context.Context, unlock func(), err error) {
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

// failed returns an error of the store as callers see it. A name that turns out to be taken
// or unknown shows that the profiles are not the stored ones, such as after a change whose
// outcome was unknown, so they are read again. The caller holds the lock.
func (r *ProfileRegistry) failed(ctx context.Context, err error) error {
	if errors.Is(err, ErrNameTaken) || errors.Is(err, ErrUnknown) {
		if stored, readErr := r.store.Profiles(ctx); readErr == nil {
			r.replaceAll(stored)
		}
	}
	return storeError(err)
}

// storeError returns an error of the store as callers see it: either what is wrong with
// their change, or a [servers.StoreError].
func storeError(err error) error {
	if _, problems := errors.AsType[servers.Problems](err); problems ||
		errors.Is(err, ErrUnknown) || errors.Is(err, ErrNameTaken) || errors.Is(err, context.Canceled) {
		return err
	}
	return &servers.StoreError{Err: err}
}
