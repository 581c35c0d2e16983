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

// Client is the client of one call. Its methods do not block.
type Client interface {
	// SessionID identifies the client's session.
	SessionID() string
	// Notify sends a notification, one line of JSON, to the client.
	Notify(line []byte)
	// ForwardRequest sends a server's request to the client; the message is valid only
	// during the call. It calls answer once, with the client's response, or with nil if
	// there will be none. It returns a function that withdraws the request, or nil if
	// the client does not support it; then answer is not called.
	ForwardRequest(request *wire.Message, answer func(response *wire.Message)) (withdraw func(note *wire.Message))
}

// ServerRequestsFactory makes the server requests of each session.
type ServerRequestsFactory struct{}

// NewServerRequestsFactory returns a ServerRequestsFactory.
func NewServerRequestsFactory() *ServerRequestsFactory { return &ServerRequestsFactory{} }

// NewServerRequests implements the factory that package sessions expects.
func (*ServerRequestsFactory) NewServerRequests(servers.Server) sessions.ServerRequests {
	return &serverRequests{callsByToken: make(map[string]*pendingCall), calls: make(map[*pendingCall]bool), pending: make(pendingRequests)}
}

// serverRequests forwards the requests and notifications of one session's server to the
// clients whose calls they belong to. It implements sessions.ServerRequests.
type serverRequests struct {
	mu           sync.Mutex
	lastToken    int
	callsByToken map[string]*pendingCall // by progress token towards the server
	calls        map[*pendingCall]bool
	pending      pendingRequests
}

// addCall registers a call. It returns the request, whose progress token, if any, it has
// replaced: different clients may use the same token.
func (r *serverRequests) addCall(call *pendingCall, request *wire.Message) *wire.Message {
	span := request.Param("_meta", "progressToken")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[call] = true
	if !span.Present() {
		return request
	}
	r.lastToken++
	call.serverToken = strconv.Itoa(r.lastToken)
	call.clientToken = span.Of(request.Line)
	r.callsByToken[call.serverToken] = call
	var out wire.Message
	line := wire.Splice(request.Line, span, wire.AppendQuoted(nil, call.serverToken))
	_ = new(wire.Scanner).Scan(line, &out) // cannot fail: it was valid before
	return &out
}

// removeCall removes a call that has ended.
func (r *serverRequests) removeCall(call *pendingCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.calls, call)
	delete(r.callsByToken, call.serverToken)
}

// HandleServerMessage implements sessions.ServerRequests.
func (r *serverRequests) HandleServerMessage(m *wire.Message, from sessions.Origin, of sessions.Replier) {
	switch {
	case m.Kind == wire.Request:
		r.forwardRequest(m, from, of)
	case m.MethodIs("notifications/progress"):
		r.forwardProgress(m)
	case m.MethodIs("notifications/cancelled"):
		r.forwardCancellation(m)
	case isOffered(m):
		if call := r.findCall(of); call != nil && call.client != nil {
			call.client.Notify(m.Line)
		}
	}
}

// isOffered reports whether a notification is about features that the service offers.
func isOffered(m *wire.Message) bool {
	return !m.MethodIs("notifications/prompts/list_changed") &&
		!m.MethodIs("notifications/resources/list_changed") && !m.MethodIs("notifications/resources/updated")
}

// forwardProgress sends a progress notification to the client, with the client's token.
func (r *serverRequests) forwardProgress(m *wire.Message) {
	span := m.Param("progressToken")
	token, _ := wire.Unquote(span.Of(m.Line))
	r.mu.Lock()
	call := r.callsByToken[token]
	r.mu.Unlock()
	if call != nil && call.client != nil {
		call.client.Notify(wire.Splice(m.Line, span, call.clientToken))
	}
}

// findCall returns the call that a message belongs to: that of its stream, if known;
// otherwise any open call, if all are of one client session; otherwise nil.
func (r *serverRequests) findCall(of sessions.Replier) *pendingCall {
	if call, ok := of.(*pendingCall); ok {
		return call
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *pendingCall
	for call := range r.calls {
		if call.client == nil || found != nil && found.client.SessionID() != call.client.SessionID() {
			return nil
		}
		found = call
	}
	return found
}

// pendingRequests are the open requests of one server: how to withdraw them, by their
// ids.
type pendingRequests map[string]func(note *wire.Message)

// forwardRequest sends a server's request to the client that it belongs to, or answers it
// with an error.
func (r *serverRequests) forwardRequest(m *wire.Message, from sessions.Origin, of sessions.Replier) {
	id := bytes.Clone(m.ID.Of(m.Line))
	call := r.findCall(of)
	if call == nil || call.client == nil {
		sendError(from, id, jsonrpc.CodeInternalError, "no client can be asked: the call that this request belongs to is unknown")
		return
	}
	key := string(wire.KeyOf(id))
	answered := false // guarded by r.mu
	withdraw := call.client.ForwardRequest(m, func(response *wire.Message) {
		r.mu.Lock()
		answered = true
		delete(r.pending, key)
		r.mu.Unlock()
		if response == nil {
			sendError(from, id, jsonrpc.CodeInternalError, "the client has disconnected")
			return
		}
		from.Send(response.WithID(id))
	})
	if withdraw == nil {
		method, _ := wire.Unquote(m.Method.Of(m.Line))
		sendError(from, id, jsonrpc.CodeMethodNotFound, fmt.Sprintf("the client does not support %s", method))
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !answered {
		r.pending[key] = withdraw
	}
}

func sendError(from sessions.Origin, id []byte, code int, message string) {
	from.Send(wire.AppendErrorLine(nil, id, &wire.Error{Code: code, Message: message}))
}

// forwardCancellation withdraws a request that the server has cancelled.
func (r *serverRequests) forwardCancellation(note *wire.Message) {
	key := string(wire.KeyOf(note.Param("requestId").Of(note.Line)))
	r.mu.Lock()
	withdraw := r.pending[key]
	delete(r.pending, key)
	r.mu.Unlock()
	if withdraw != nil {
		withdraw(note)
	}
}
