package servers

import (
	"context"
	"errors"
)

// Errors of a Store.
var (
	ErrUnknown   = errors.New("no server with that id")
	ErrNameTaken = errors.New("another server has that name")
)

// Store stores records, tools and histories. Every method is one transaction: if the
// process ends at any moment, it has happened as a whole or not at all. No method takes
// longer than half a minute, whatever the state of the database.
type Store interface { //nolint:iface // package store implements it, and its consumers are composed with it
	Records
	ToolStore
	// History returns the newest events of the server with that id, newest first,
	// at most limit of them.
	History(ctx context.Context, id string, limit int) ([]Event, error)
}

// Records stores the records of servers.
type Records interface {
	// Servers returns all records in the order of their registration.
	Servers(ctx context.Context) ([]Server, error)
	// Create adds a record. The Store sets UpdatedAt, and RegisteredAt if it is zero. It
	// returns ErrNameTaken.
	Create(ctx context.Context, s Server) error
	// Update reads the record with that id, calls change with it, and writes the result
	// together with the events. A new name also renames the stored tools. If change
	// returns an error, Update returns it and writes nothing. Otherwise it returns the
	// stored record, ErrUnknown or ErrNameTaken. A record that change leaves unchanged is
	// not written, and no replica is notified; the events are still written. Changes of
	// ID, RegisteredAt and UpdatedAt are ignored. The store may call change again, with
	// the record as it is then. change must not use the Store.
	Update(ctx context.Context, id string, change func(*Server) error, events ...Event) (Server, error)
	// Delete removes the record, its tools and its history. It returns ErrUnknown.
	Delete(ctx context.Context, id string) error
}

// ToolStore stores the tools of all servers, connected or not.
type ToolStore interface {
	// Tools returns the stored tools of all servers, ordered by the registration of the
	// servers and then as each server lists them.
	Tools(ctx context.Context) ([]Tool, error)
	// ReplaceTools replaces the tools of the server with that id. The Store sets their
	// Server and Namespaced. If the same tools are stored already, nothing is written and
	// no replica is notified. It returns ErrUnknown.
	ReplaceTools(ctx context.Context, id string, tools []Tool) error
}

// Cluster coordinates the replicas of the service that share a Store.
type Cluster interface {
	// Changes returns a channel that receives after other replicas have changed records,
	// once for any number of changes since the last receive. It also receives when changes
	// may have been missed. It is nil if there are no other replicas.
	Changes() <-chan struct{}
	// Claim makes this replica the only one that runs the server with that id, or reports
	// that another one does. It waits, for a few seconds, only for a replica that has lost
	// its claim, until that one has certainly killed the server.
	Claim(ctx context.Context, id string) (Claim, bool, error)
}

// Claim is the right to run a server, held until it is released or lost.
type Claim interface {
	// Lost returns a channel that is closed when the claim is lost, for example with the
	// connection to the store. The server must then be killed at once.
	Lost() <-chan struct{}
	// Release gives up the claim. It is called after the server has ended.
	Release()
}
