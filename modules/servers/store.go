package servers

import (
	"context"
	"errors"
)

// What a Store refuses.
var (
	ErrUnknown   = errors.New("no server with that id")
	ErrNameTaken = errors.New("another server has that name")
)

// Store keeps the records, the tools and the histories. Every method is one
// transaction: after the end of the process at any moment it has happened or not. None
// takes longer than half a minute, whatever becomes of the database.
type Store interface { //nolint:iface // package store implements it, and whoever composes it asks for it
	Records
	ToolStore
	// History returns the newest events of the server with that id, newest first,
	// at most limit of them.
	History(ctx context.Context, id string, limit int) ([]Event, error)
}

// Records keeps the servers' records.
type Records interface {
	// Servers returns all records in the order of their registration.
	Servers(ctx context.Context) ([]Server, error)
	// Create adds a record. UpdatedAt is the Store's, and RegisteredAt, too, if it
	// is zero. It returns ErrNameTaken.
	Create(ctx context.Context, s Server) error
	// Update reads the record with that id, lets change change it, and writes it
	// back together with the events. A new name renames its stored tools, too. An
	// error of change is returned, and nothing is written. It returns the record
	// as it is then, ErrUnknown or ErrNameTaken. A record that change leaves as
	// it was is not written, and nobody is told; the events are written all the
	// same. The ID, RegisteredAt and UpdatedAt are not change's to change. It may be
	// called again, with the record as it is by then, and must not use the Store.
	Update(ctx context.Context, id string, change func(*Server) error, events ...Event) (Server, error)
	// Delete removes the record, its tools and its history. It returns ErrUnknown.
	Delete(ctx context.Context, id string) error
}

// ToolStore keeps the tools of all servers, connected or not.
type ToolStore interface {
	// Tools returns the stored tools of all servers: in the order of the servers'
	// registration, then of the servers' own lists.
	Tools(ctx context.Context) ([]Tool, error)
	// ReplaceTools replaces the tools of the server with that id: their Server and
	// Namespaced are the Store's. Tools that are stored already are not written, and
	// nobody is told. It returns ErrUnknown.
	ReplaceTools(ctx context.Context, id string, tools []Tool) error
}

// Cluster is what replicas of the service that share a Store know of each other.
type Cluster interface {
	// Changes receives after another replica has changed a record, once for any
	// number of changes since the last receive; nil when there are no others. It
	// also receives when changes may have been missed.
	Changes() <-chan struct{}
	// Claim makes this replica the only one that runs the server with that id, or
	// reports that another one does. It waits for none that does, but, for a few seconds,
	// for one that did and has lost the right: until it has certainly ended the server.
	Claim(ctx context.Context, id string) (Claim, bool, error)
}

// Claim is the right to run a server, held until it is released or lost.
type Claim interface {
	// Lost is closed when the right has gone, as with the connection to the store: the
	// server is to be killed at once.
	Lost() <-chan struct{}
	// Release gives the right up, after the end of the server.
	Release()
}
