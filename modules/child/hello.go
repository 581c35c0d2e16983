package child

// Hello is the client as the children are told of it: what its own initialize
// said.
type Hello struct {
	ClientInfo      []byte // raw JSON of params.clientInfo; empty when the client sent none
	ProtocolVersion string // what the client and the aggregator agreed on
}

// Client is the client's side as the children see it.
type Client interface {
	// Flush writes out the answers that have gathered: no further message of
	// the child is at hand.
	Flush()
}

// Tools takes what the children offer.
type Tools interface {
	// Set replaces the tools of the server with that key by definitions, the
	// raw elements of its tools/list, and returns how many it kept.
	Set(key string, definitions [][]byte) int
	// Remove forgets the tools of the server with that key.
	Remove(key string)
}
