package child

import "mcp-aggregator/modules/wire"

// Introduction is the client as the children are told of it: what its own initialize
// said.
type Introduction struct {
	// Initialize is the raw JSON params of that initialize, with the negotiated
	// version in them; empty to introduce a client of no capabilities.
	Initialize []byte
	// ProtocolVersion is what the client and the aggregator agreed on.
	ProtocolVersion string
}

// Client is the client's side as the children see it.
type Client interface {
	// Pass carries a request or a notification of a child to the client. The
	// message is valid only during the call.
	Pass(m *wire.Message, from Origin)
	// Leave cancels what a child has asked: it has ended.
	Leave(from Origin)
	// Flush writes out what has gathered: no further message of the child is
	// at hand.
	Flush()
}

// Origin is a child as the one to bring the client's answers to.
type Origin interface {
	// Send writes one line made of parts to the child. It does not block.
	Send(parts ...[]byte)
}

// Tools takes what the children offer.
type Tools interface {
	// ReplaceTools replaces the tools of the server with that key by definitions, the
	// raw elements of its tools/list, and returns how many it kept.
	ReplaceTools(key string, definitions [][]byte) int
	// RemoveTools forgets the tools of the server with that key.
	RemoveTools(key string)
}
