package router

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// Client is the client session of a call, and the stream of that call. Its methods
// do not block.
type Client interface {
	// SessionID identifies the session: the same for all its calls.
	SessionID() string
	// Notify takes a notification for the client, one line of JSON.
	Notify(line []byte)
	// ForwardRequest carries a request of a server to the client; the message is valid only
	// during the call. answer is called once, with the client's response, or nil when
	// none will come. It returns how to withdraw the request, or nil when the client
	// cannot be asked that, and answer is not called then.
	ForwardRequest(request *wire.Message, answer func(response *wire.Message)) (withdraw func(note *wire.Message))
}

// ServerRequestsFactory makes the server requests of each session.
type ServerRequestsFactory struct{}

// NewServerRequestsFactory returns ServerRequestsFactory.
func NewServerRequestsFactory() *ServerRequestsFactory { return &ServerRequestsFactory{} }

// NewServerRequests implements sessions.Passers.
func (*ServerRequestsFactory) NewServerRequests(servers.Server) sessions.ServerRequests {
	return &serverRequests{callsByToken: make(map[string]*pendingCall), calls: make(map[*pendingCall]bool), pending: make(pendingRequests)}
}

// serverRequests is where what one session's server asks and tells is handed on: to the client
// whose call it concerns. It is the sessions.Passer.
type serverRequests struct {
	mu           sync.Mutex
	lastToken    int
	callsByToken map[string]*pendingCall // by our progress token
	calls        map[*pendingCall]bool
	pending      pendingRequests
}

// addCall files a call. It returns the request with a progress token of ours, if it has
// one: those of several clients may be the same.
func (d *serverRequests) addCall(e *pendingCall, request *wire.Message) *wire.Message {
	span := request.Param("_meta", "progressToken")
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls[e] = true
	if !span.Present() {
		return request
	}
	d.lastToken++
	e.serverToken = strconv.Itoa(d.lastToken)
	e.clientToken = span.Of(request.Line)
	d.callsByToken[e.serverToken] = e
	var out wire.Message
	line := wire.Splice(request.Line, span, wire.AppendQuoted(nil, e.serverToken))
	_ = new(wire.Scanner).Scan(line, &out) // as sound as it was before
	return &out
}

func (d *serverRequests) removeCall(e *pendingCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, e)
	delete(d.callsByToken, e.serverToken)
}

// HandleServerMessage implements sessions.Passer.
func (d *serverRequests) HandleServerMessage(m *wire.Message, from sessions.Origin, of sessions.Replier) {
	switch {
	case m.Kind == wire.Request:
		d.forwardRequest(m, from, of)
	case m.MethodIs("notifications/progress"):
		d.forwardProgress(m)
	case m.MethodIs("notifications/cancelled"):
		d.forwardCancellation(m)
	case isOffered(m):
		if e := d.findCall(of); e != nil && e.client != nil {
			e.client.Notify(m.Line)
		}
	}
}

// isOffered reports whether a notification may belong to a call: not those about
// what the service does not offer.
func isOffered(m *wire.Message) bool {
	return !m.MethodIs("notifications/prompts/list_changed") &&
		!m.MethodIs("notifications/resources/list_changed") && !m.MethodIs("notifications/resources/updated")
}

// forwardProgress gives a notification the client's own token.
func (d *serverRequests) forwardProgress(m *wire.Message) {
	span := m.Param("progressToken")
	ours, _ := wire.Unquote(span.Of(m.Line))
	d.mu.Lock()
	e := d.callsByToken[ours]
	d.mu.Unlock()
	if e != nil && e.client != nil {
		e.client.Notify(wire.Splice(m.Line, span, e.clientToken))
	}
}

// findCall returns the call that a message concerns: that of the stream in which it came,
// or else any, if all that are open are of one client session. Otherwise nil.
func (d *serverRequests) findCall(of sessions.Replier) *pendingCall {
	if e, ok := of.(*pendingCall); ok {
		return e
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var found *pendingCall
	for e := range d.calls {
		if e.client == nil || found != nil && found.client.SessionID() != e.client.SessionID() {
			return nil
		}
		found = e
	}
	return found
}

// pendingRequests are the requests of one server that a client has not answered: how to
// withdraw them, by their ids.
type pendingRequests map[string]func(note *wire.Message)

// forwardRequest carries a request of the server to the client that it concerns, or refuses it.
func (d *serverRequests) forwardRequest(m *wire.Message, from sessions.Origin, of sessions.Replier) {
	id := bytes.Clone(m.ID.Of(m.Line))
	e := d.findCall(of)
	if e == nil || e.client == nil {
		sendError(from, id, jsonrpc.CodeInternalError, "no client can be asked: it is not known whose call this is about")
		return
	}
	key := string(wire.KeyOf(id))
	over := false // guarded by d.mu
	withdraw := e.client.ForwardRequest(m, func(response *wire.Message) {
		d.mu.Lock()
		over = true
		delete(d.pending, key)
		d.mu.Unlock()
		if response == nil {
			sendError(from, id, jsonrpc.CodeInternalError, "the client has gone")
			return
		}
		from.Send(response.WithID(id))
	})
	if withdraw == nil {
		method, _ := wire.Unquote(m.Method.Of(m.Line))
		sendError(from, id, jsonrpc.CodeMethodNotFound, fmt.Sprintf("the client does not support %s", method))
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !over {
		d.pending[key] = withdraw
	}
}

func sendError(from sessions.Origin, id []byte, code int, message string) {
	from.Send(wire.AppendErrorLine(nil, id, &wire.Error{Code: code, Message: message}))
}

// forwardCancellation tells the client that the server waits for its answer no more.
func (d *serverRequests) forwardCancellation(note *wire.Message) {
	key := string(wire.KeyOf(note.Param("requestId").Of(note.Line)))
	d.mu.Lock()
	withdraw := d.pending[key]
	delete(d.pending, key)
	d.mu.Unlock()
	if withdraw != nil {
		withdraw(note)
	}
}
