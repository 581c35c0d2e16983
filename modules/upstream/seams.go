package upstream

import (
	"io"

	"mcp-aggregator/modules/wire"
)

// Stdio is the stream pair to the client.
type Stdio struct {
	In  io.ReadCloser
	Out io.Writer
}

// Client is what the client's initialize said of it.
type Client struct {
	Info            []byte // raw JSON of params.clientInfo; empty when it sent none
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
	// Introduce tells all children who the client is.
	Introduce(client Client)
	// Statuses returns every child, in the order of the file.
	Statuses() []ServerStatus
	// Settled is closed once the child has left "initializing".
	Settled(key string) <-chan struct{}
}

// Caller carries a call to the child with that key. It must not block. The
// request is valid only during the call; exactly one method of r is called.
type Caller interface {
	Call(key string, request *wire.Message, tool []byte, r Replier)
}

// Replier receives the one outcome of a call.
type Replier interface {
	// Reply takes the child's response; it is valid only during the call.
	Reply(response *wire.Message)
	// Fail takes an error of ours instead.
	Fail(err *wire.Error)
}
