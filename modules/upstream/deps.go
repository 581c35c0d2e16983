package upstream

import (
	"cmp"
	"io"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// Stdio is the pair of streams to the client.
type Stdio struct {
	In  io.ReadCloser
	Out io.Writer
}

// Client is what the client said about itself in initialize.
type Client struct {
	Initialize      []byte // raw JSON of its params, with the negotiated version
	ProtocolVersion string // negotiated
}

// ServerStatus is the status of one child, for errors.
type ServerStatus struct {
	Key     string
	Settled bool // no longer initializing
	State   string
	Reason  string // why it failed; empty if it has not
}

// Servers gives access to the children.
type Servers interface {
	// ClientInitialized passes what the client said in initialize to all children.
	ClientInitialized(client Client)
	// Statuses returns the statuses of all children, in the order of the file.
	Statuses() []ServerStatus
	// Settled returns a channel that is closed once the child is no longer initializing.
	Settled(key string) <-chan struct{}
}

// Caller carries the client's messages to the children. Its methods do not block; a
// message is valid only during the call.
type Caller interface {
	// Call sends a tools/call to the child with that key. It calls exactly one method of
	// r, once.
	Call(key string, request *wire.Message, tool []byte, r Replier)
	// Cancel sends a notifications/cancelled to the child of the first open call whose
	// Replier matches. It does not use match after it has returned.
	Cancel(notification *wire.Message, match func(Replier) bool)
	// Broadcast sends a notification to every running child.
	Broadcast(notification *wire.Message)
}

// Flusher sends what a Caller has buffered. It does not block.
type Flusher interface{ Flush() }

// Replier receives the outcome of one call.
type Replier interface {
	// Reply receives the child's response, which is valid only during the call.
	Reply(response *wire.Message)
	// Fail receives an error of the aggregator instead of a response.
	Fail(err *wire.Error)
}

// Deps are the interfaces to the children.
type Deps struct {
	Servers Servers
	Caller  Caller
	Flusher Flusher
	Lean    LeanTools // nil: the client's list has every tool
}

// ListWait is the default of Options.ListWait.
const ListWait = 10 * time.Second

// Options of the server. The zero value means the defaults.
type Options struct {
	Name         string             // serverInfo.name; default "mcp-simple-aggregator"
	Version      string             // serverInfo.version; default "0.0.0"
	Separator    registry.Separator // default registry.Auto
	MaxMessage   int                // bytes of one message of the client; default wire.DefaultMaxLine
	ListWait     time.Duration      // longest wait of tools/list for children; default 10 s
	DrainTimeout time.Duration      // wait for responses after the client has closed its end; default 3 s
	Coalesce     time.Duration      // changes within it cause one list_changed; default 50 ms
	Pins         registry.Patterns  // tools that a lean list has beside its own; default none
}

func (o Options) withDefaults() Options {
	return Options{
		Name:         cmp.Or(o.Name, "mcp-simple-aggregator"),
		Version:      cmp.Or(o.Version, "0.0.0"),
		Separator:    cmp.Or(o.Separator, registry.Auto),
		MaxMessage:   o.MaxMessage,
		ListWait:     cmp.Or(o.ListWait, ListWait),
		DrainTimeout: cmp.Or(o.DrainTimeout, 3*time.Second),
		Coalesce:     cmp.Or(o.Coalesce, 50*time.Millisecond),
		Pins:         o.Pins,
	}
}
