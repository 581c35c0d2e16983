package router

import "mcp-aggregator/modules/wire"

// Client is the client session of a call, and the stream of that call. Its methods
// do not block.
type Client interface {
	// Session identifies the session: the same for all its calls.
	Session() string
	// Notify takes a notification for the client, one line of JSON.
	Notify(line []byte)
	// Ask carries a request of a server to the client; the message is valid only
	// during the call. answer is called once, with the client's response, or nil when
	// none will come. It returns how to withdraw the request, or nil when the client
	// cannot be asked that, and answer is not called then.
	Ask(request *wire.Message, answer func(response *wire.Message)) (withdraw func(note *wire.Message))
}
