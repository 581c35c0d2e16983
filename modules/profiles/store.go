package profiles

import (
	"context"
	"errors"
)

// Errors of a [Store] and a [ProfileRegistry].
var (
	ErrUnknown   = errors.New("no profile with that name")
	ErrNameTaken = errors.New("another profile has that name")
	ErrTooMany   = errors.New("there are as many profiles as there may be: remove one first")
)

// Store stores profiles. Every method is one transaction: if the process ends at any
// moment, it has happened as a whole or not at all. No method takes longer than half a
// minute, whatever the state of the database.
type Store interface {
	// Profiles returns all profiles in any order.
	Profiles(ctx context.Context) ([]Profile, error)
	// CreateProfile adds a profile. It returns ErrNameTaken.
	CreateProfile(ctx context.Context, p Profile) error
	// UpdateProfile reads the profile with that name, calls change with it, writes the
	// result and returns it as it is stored. If change returns an error, UpdateProfile
	// returns it and writes nothing. A profile that change leaves equal, see
	// [Profile.Equal], is not written, and no replica is notified. Changes of Name and
	// CreatedAt are ignored. It returns ErrUnknown. The store may call change again, with
	// the profile as it is then. change must not use the Store.
	UpdateProfile(ctx context.Context, name string, change func(*Profile) error) (Profile, error)
	// DeleteProfile removes the profile with that name. It returns ErrUnknown.
	DeleteProfile(ctx context.Context, name string) error
	// ProfileChanges returns a channel that receives after other replicas have changed
	// profiles, once for any number of changes since the last receive. It also receives
	// when changes may have been missed. It is nil if there are no other replicas.
	ProfileChanges() <-chan struct{}
}
