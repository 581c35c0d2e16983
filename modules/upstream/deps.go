package upstream

import (
	"cmp"
	"io"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// Stdio is the stream pair to the client.
type Stdio struct {
	In  io.ReadCloser
	Out io.Writer
}

// Client is what the client's initialize said of it.
type Client struct {
	Initialize      []byte // raw JSON of its params, with the negotiated version in them
	ProtocolVersion string // the negotiated one
}

// ServerStatus is one child as the client's errors show it.
type ServerStatus struct {
	Key     string
	Settled bool // it has left "initializing"
	State   string
	Reason  string // why it failed; empty unless it has
}

// Servers are the children, as far as the session with the client needs them.
type Servers interface {
	// ClientInitialized tells all children who the client is.
	ClientInitialized(client Client)
	// Statuses returns every child, in the order of the file.
	Statuses() []ServerStatus
	// Settled is closed once the child has left "initializing".
	Settled(key string) <-chan struct{}
}

// Caller carries what the client sends to the children. None of its methods
// blocks; messages are valid only during the call.
type Caller interface {
	// Call carries a call to the child with that key. Exactly one method of r
	// is called.
	Call(key string, request *wire.Message, tool []byte, r Replier)
	// Cancel carries notifications/cancelled to the child of the first open
	// call whose Replier matches. It returns when match is no longer used.
	Cancel(notification *wire.Message, match func(Replier) bool)
	// Broadcast carries a notification to every child that is running.
	Broadcast(notification *wire.Message)
}

// Flusher sends on what a Caller was given and has gathered. It does not block.
type Flusher interface{ Flush() }

// Replier receives the one outcome of a call.
type Replier interface {
	// Reply takes the child's response; it is valid only during the call.
	Reply(response *wire.Message)
	// Fail takes an error of ours instead.
	Fail(err *wire.Error)
}

// Deps are the sides of the children that the server needs.
type Deps struct {
	Servers Servers
	Caller  Caller
	Flusher Flusher
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
	DrainTimeout time.Duration      // wait for answers after the client closed its end; default 3 s
	Coalesce     time.Duration      // changes within it make one list_changed; default 50 ms
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
	}
}
