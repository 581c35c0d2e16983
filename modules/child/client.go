package child

import "mcp-aggregator/modules/wire"

// InitializeParams are the params of the client's own initialize, which the children get.
type InitializeParams struct {
	// Raw is the params as JSON, with the negotiated version in them;
	// empty for a client without capabilities.
	Raw []byte
	// ProtocolVersion is the version that the client and the aggregator negotiated.
	ProtocolVersion string
}

// Client is the client's side as the children see it.
type Client interface {
	// HandleServerMessage takes a request or a notification of a child for the client.
	// The message is valid only during the call.
	HandleServerMessage(m *wire.Message, from Origin)
	// ServerEnded cancels the pending requests of a child: it has ended.
	ServerEnded(from Origin)
	// Flush writes what is buffered: no further message of the child has arrived.
	Flush()
}

// Origin is the child that made a request, and that the client's response goes to.
type Origin interface {
	// Send writes one line made of parts to the child. It does not block.
	Send(parts ...[]byte)
}

// Replier receives the one outcome of a request to a child.
type Replier interface {
	// Reply takes the child's response; it is valid only during the call.
	Reply(response *wire.Message)
	// Fail takes an error of ours instead: the child will not answer.
	Fail(err *wire.Error)
}

// Tools holds the tools of the children.
type Tools interface {
	// ReplaceTools replaces the tools of the server with that key by definitions, the
	// raw elements of its tools/list, and returns how many it kept.
	ReplaceTools(key string, definitions [][]byte) int
	// RemoveTools removes the tools of the server with that key.
	RemoveTools(key string)
}
