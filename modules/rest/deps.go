package rest

import (
	"context"
	"time"

	"mcp-aggregator/modules/servers"
)

// Servers holds and changes the records of servers. It returns
// [servers.ErrUnknown], [servers.ErrNameTaken] and [servers.Problems].
type Servers interface {
	// Servers returns all records in the order of their registration.
	Servers() []servers.Server
	Server(id string) (servers.Server, error)
	// Register adds a server and waits for no connection.
	Register(ctx context.Context, d servers.Draft) (servers.Server, error)
	Change(ctx context.Context, id string, c servers.Change) (servers.Server, error)
	Remove(ctx context.Context, id string) error
}

// Connections connects and disconnects servers. It returns [servers.ErrUnknown].
type Connections interface {
	// Connect has the server connected and does not wait for it. It returns Disconnected
	// if that is for another replica to do; the record says so, then.
	Connect(ctx context.Context, id string) (servers.Status, error)
	// Disconnect waits, for a bounded time, for open calls, and returns how many
	// were still open at its end.
	Disconnect(ctx context.Context, id string) (pending int, err error)
	// History returns the newest events, newest first, at most limit of them.
	History(ctx context.Context, id string, limit int) ([]servers.Event, error)
}

// Tools lists and calls the tools of all servers.
type Tools interface {
	// Tools returns all stored tools: in the order of their servers, then as each
	// lists them. They can be called if their server's Status is live.
	Tools(ctx context.Context) ([]servers.Tool, error)
	// Version is another one whenever Tools may return something else than before.
	Version() uint64
	// Unknown returns the error for a name that none of these tools has.
	Unknown(name string, among []servers.Tool) error
	// Call returns the errors of package servers, as in [servers.UnknownToolError].
	Call(ctx context.Context, c Call) (Answer, error)
}

// Readiness tells whether the service can do its work.
type Readiness interface {
	// Ready returns why it cannot. The error is logged and not shown.
	Ready(ctx context.Context) error
}

// Call is a call of a tool.
type Call struct {
	Name      string // server.tool, or the server's own name for it
	ServerID  string // may be empty; if it is not, Name may be the server's own
	Arguments []byte // a raw JSON object, as it was sent; nil if there is none
}

// Answer is what came of a call.
type Answer struct {
	Result    []byte        // the raw result, a JSON object, as the server wrote it
	RoutedTo  string        // the name of the server
	Routing   time.Duration // until the call was on its way to the server
	Execution time.Duration // from there until its answer
}
