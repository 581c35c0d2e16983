package sessions

import (
	"context"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// Dialer makes sessions with the servers of one transport.
type Dialer interface {
	// Dial connects to the server, initializes an MCP session and reads the tools, which
	// it passes to peer before it returns. The context bounds the attempt only. The
	// connection of target is already expanded. The error is shown to users: it is in
	// lower case and contains no secret.
	Dial(ctx context.Context, target Target, peer Peer) (Session, error)
}

// Target is a server to connect to.
type Target struct {
	Server servers.Server // its Connection expanded
	// Secrets has the texts of Server that no message may contain
	// ([servers.Server.Secrets]).
	Secrets []string
}

// Session is one session with one server. Its methods can be called from several
// goroutines.
type Session interface {
	// Call sends the request, a tools/call, with params.name replaced by tool, the
	// server's own name as raw JSON, and with an id of the session's. The message is valid
	// only during the call. Call does not wait for the response: exactly one of r's
	// methods is called, once, unless the server neither answers nor ends.
	Call(request *wire.Message, tool []byte, r Replier)
	// Cancel tells the server that the response to the call of r is no longer awaited.
	// notification is a notifications/cancelled, whose params.requestId is replaced. The
	// server may still respond.
	Cancel(notification *wire.Message, r Replier)
	// Done returns a channel that is closed when the session has ended, by itself or by
	// Close.
	Done() <-chan struct{}
	// Err returns why the session ended by itself, or nil. It is valid after Done.
	Err() error
	// Close ends the session and waits, for a bounded time, until its resources are
	// released. Pending calls fail.
	Close()
}

// Killer is implemented by a Session that runs a process.
type Killer interface {
	// Kill kills the process and its descendants at once, also while Close waits.
	Kill()
}

// Introduced is implemented by a Session whose server was initialized.
type Introduced interface {
	// Info returns what the server said of itself.
	Info() mcpclient.ServerInfo
}

// Replier receives the outcome of a call.
type Replier interface {
	// Reply receives the server's response, a result or an error, verbatim. The message is
	// valid only during the call, which must not block.
	Reply(response *wire.Message)
	// Fail receives an error of the service: there will be no response. If Unsent is set,
	// the server has certainly not received the call.
	Fail(err *wire.Error)
}

// Peer receives what a session reports. Its methods do not block.
type Peer interface {
	// Tools receives the raw elements of the server's tools/list in order, during Dial and
	// whenever they have changed.
	Tools(definitions [][]byte)
	// ListFailed reports that changed tools could not be read. The previous ones stay.
	ListFailed(why string)
	// HandleServerMessage receives a request or a notification of the server, except for
	// ping and list_changed, which the session handles itself. The message is valid only
	// during the call. If the message came on the stream of a call, of is the Replier of
	// that call; otherwise it is nil.
	HandleServerMessage(m *wire.Message, from Origin, of Replier)
}

// Origin takes the responses to a server's requests.
type Origin interface {
	// Send writes one line, made of parts, to the server. It does not block.
	Send(parts ...[]byte)
}
