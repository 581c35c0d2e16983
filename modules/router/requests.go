package router

import (
	"strconv"
	"sync"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// ServerRequestsFactory makes the server requests of each session.
type ServerRequestsFactory struct{}

// NewServerRequestsFactory returns ServerRequestsFactory.
func NewServerRequestsFactory() *ServerRequestsFactory { return &ServerRequestsFactory{} }

// NewServerRequests implements sessions.Passers.
func (*ServerRequestsFactory) NewServerRequests(servers.Server) sessions.ServerRequests {
	return &serverRequests{tokens: make(map[string]*pendingCall), calls: make(map[*pendingCall]bool), pending: make(pendingRequests)}
}

// serverRequests is where what one session's server asks and tells is handed on: to the client
// whose call it concerns. It is the sessions.Passer.
type serverRequests struct {
	mu      sync.Mutex
	next    int
	tokens  map[string]*pendingCall // by our progress token
	calls   map[*pendingCall]bool
	pending pendingRequests
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
	d.next++
	e.ours = strconv.Itoa(d.next)
	e.token = span.Of(request.Line)
	d.tokens[e.ours] = e
	var out wire.Message
	line := wire.Splice(request.Line, span, wire.AppendQuoted(nil, e.ours))
	_ = new(wire.Scanner).Scan(line, &out) // as sound as it was before
	return &out
}

func (d *serverRequests) removeCall(e *pendingCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.calls, e)
	delete(d.tokens, e.ours)
}

// HandleServerMessage implements sessions.Passer.
func (d *serverRequests) HandleServerMessage(m *wire.Message, from sessions.Origin, of sessions.Replier) {
	switch {
	case m.Kind == wire.Request:
		d.forward(m, from, of)
	case m.MethodIs("notifications/progress"):
		d.progress(m)
	case m.MethodIs("notifications/cancelled"):
		d.cancelForwarded(m)
	case concernsCall(m):
		if e := d.callOf(of); e != nil && e.client != nil {
			e.client.Notify(m.Line)
		}
	}
}

// concernsCall reports whether a notification may belong to a call: not those about
// what the service does not offer.
func concernsCall(m *wire.Message) bool {
	return !m.MethodIs("notifications/prompts/list_changed") &&
		!m.MethodIs("notifications/resources/list_changed") && !m.MethodIs("notifications/resources/updated")
}

// progress gives a notification the client's own token.
func (d *serverRequests) progress(m *wire.Message) {
	span := m.Param("progressToken")
	ours, _ := wire.Unquote(span.Of(m.Line))
	d.mu.Lock()
	e := d.tokens[ours]
	d.mu.Unlock()
	if e != nil && e.client != nil {
		e.client.Notify(wire.Splice(m.Line, span, e.token))
	}
}

// callOf returns the call that a message concerns: that of the stream in which it came,
// or else any, if all that are open are of one client session. Otherwise nil.
func (d *serverRequests) callOf(of sessions.Replier) *pendingCall {
	if e, ok := of.(*pendingCall); ok {
		return e
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var found *pendingCall
	for e := range d.calls {
		if e.client == nil || found != nil && found.client.Session() != e.client.Session() {
			return nil
		}
		found = e
	}
	return found
}
