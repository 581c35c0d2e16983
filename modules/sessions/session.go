package sessions

import (
	"context"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// Dialer makes sessions with the servers of one transport.
type Dialer interface {
	// Dial connects to the server: it begins a session of MCP and reads the tools,
	// which it gives to peer before it returns. The context bounds the attempt and
	// no more. The texts of s.Connection are expanded already. The error is for
	// people: lower case, no secret's value in it.
	Dial(ctx context.Context, target Target, peer Peer) (Session, error)
}

// Target is a server to connect to.
type Target struct {
	Server servers.Server // its Connection expanded
	// Secrets is what no message may show of Server ([servers.Server.Secrets]).
	Secrets []string
}

// Session is one live session with one server. Its methods may be called from
// several goroutines.
type Session interface {
	// Call sends the request, a tools/call, with the server's own name of the tool
	// (raw JSON) in the place of params.name and under an id of the session's.
	// The message is valid only during the call. It does not wait for the answer:
	// exactly one of r's methods is called, once, unless the server never answers
	// and never ends.
	Call(request *wire.Message, tool []byte, r Replier)
	// Cancel tells the server that the call of r is not waited for any more:
	// notification is a notifications/cancelled, whose params.requestId is
	// replaced. The call may be answered all the same.
	Cancel(notification *wire.Message, r Replier)
	// Done is closed when the session has ended, by itself or by Close.
	Done() <-chan struct{}
	// Err is why it has ended by itself; nil otherwise. Valid after Done.
	Err() error
	// Close ends the session and waits, for a bounded time, until nothing of it is
	// left. Open calls fail.
	Close()
}

// Killer is a Session with a process, which can be ended without being asked to.
type Killer interface {
	// Kill ends the process and all that it started at once, also while Close waits.
	Kill()
}

// Replier receives the one outcome of a call.
type Replier interface {
	// Reply takes the server's response, a result or an error, verbatim; it is
	// valid only during the call, which must not block.
	Reply(response *wire.Message)
	// Fail takes an error of ours instead: there will be no answer. If its Unsent
	// is set, the server has certainly not seen the call.
	Fail(err *wire.Error)
}

// Peer is the side of the service that a session sees. Its methods do not block.
type Peer interface {
	// Tools takes the server's tools, the raw elements of its tools/list in order:
	// while it is dialled, and whenever they have changed.
	Tools(definitions [][]byte)
	// ListFailed tells that the tools could not be read again: they stay as they were.
	ListFailed(why string)
	// HandleServerMessage takes a request or a notification of the server but for ping and
	// list_changed, which the session sees to itself. The message is valid only
	// during the call. If the session knows in the stream of which call it came, of
	// is that call's Replier, otherwise nil.
	HandleServerMessage(m *wire.Message, from Origin, of Replier)
}

// Origin is where the answers to a server's requests go.
type Origin interface {
	// Send writes one line, made of parts, to the server. It does not block.
	Send(parts ...[]byte)
}
