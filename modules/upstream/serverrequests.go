package upstream

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// Origin is the child that sent a request.
type Origin interface {
	// Send writes one line, made of parts, to the child. It does not block.
	Send(parts ...[]byte)
}

// ServerRequests forwards the requests and notifications of the children to the client,
// and the responses back. The client sees ids of its own numbering, since the ids of
// different children collide.
type ServerRequests struct {
	out          *Output
	capabilities atomic.Pointer[[]byte] // raw JSON, from initialize

	ready   atomic.Bool // the client takes requests and notifications
	queueMu sync.Mutex
	queued  []queuedMessage // messages that arrived before that, in order

	queuedBytes int

	mu             sync.Mutex
	exited         map[Origin]bool // children that have exited
	pendingCount   map[Origin]int  // open requests, by child
	lastID         int64
	pending        map[int64]*pendingRequest    // by id towards the client
	pendingByToken map[wire.Key]*pendingRequest // by progress token towards the client
}

// pendingRequest is a request of a child that the client has not answered.
type pendingRequest struct {
	origin      Origin
	id          int64
	serverID    []byte   // the child's id, raw JSON
	serverToken []byte   // the child's progress token, raw JSON; nil without one
	clientToken wire.Key // the progress token towards the client
}

// NewServerRequests returns a ServerRequests for the client on out.
func NewServerRequests(out *Output) *ServerRequests {
	return &ServerRequests{out: out, exited: make(map[Origin]bool), pendingCount: make(map[Origin]int), pending: make(map[int64]*pendingRequest), pendingByToken: make(map[wire.Key]*pendingRequest)}
}

// HandleServerMessage forwards a request or notification of a child to the client, as
// soon as the client is ready.
func (r *ServerRequests) HandleServerMessage(m *wire.Message, from Origin) {
	if !r.ready.Load() && r.queueUntilReady(m, from) {
		return
	}
	r.handleReady(m, from)
}

func (r *ServerRequests) handleReady(m *wire.Message, from Origin) {
	switch {
	case r.hasExited(from):
		if m.Kind == wire.Request {
			from.Send(wire.AppendErrorLine(nil, m.ID.Of(m.Line), stoppingError()))
		}
	case m.Kind == wire.Request:
		r.forwardRequest(m, from)
	default:
		r.forwardNotification(m, from)
	}
}

// Flush writes out what is buffered.
func (r *ServerRequests) Flush() { r.out.Flush() }

// ServerEnded cancels the open requests of a child that has exited.
func (r *ServerRequests) ServerEnded(from Origin) {
	for _, id := range r.removeAllPendingOf(from) {
		r.out.writeLine([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`),
			strconv.AppendInt(nil, id, 10), []byte(`,"reason":"the server has exited"}}`))
	}
}

// setCapabilities stores the client's capabilities, raw JSON.
func (r *ServerRequests) setCapabilities(capabilities []byte) { r.capabilities.Store(&capabilities) }

// requiredCapabilities maps methods to the capability that the client must declare for
// them.
var requiredCapabilities = map[string]string{
	"sampling/createMessage": "sampling",
	"elicitation/create":     "elicitation",
	"roots/list":             "roots",
}

// forwardRequest forwards a child's request, or answers it if the client does not support
// the method.
func (r *ServerRequests) forwardRequest(m *wire.Message, from Origin) {
	method, _ := wire.Unquote(m.Method.Of(m.Line))
	if capability, ok := requiredCapabilities[method]; ok && !r.clientDeclares(capability) {
		from.Send(wire.AppendErrorLine(nil, m.ID.Of(m.Line), wire.MethodNotFound(method+": the client does not support "+capability)))
		return
	}
	id, token := r.addPending(m, from)
	if id == nil {
		from.Send(wire.AppendErrorLine(nil, m.ID.Of(m.Line), tooManyPendingError()))
		return
	}
	edits := []wire.Edit{{Span: m.ID, With: id}}
	if token != nil {
		edits = append(edits, wire.Edit{Span: m.Param("_meta", "progressToken"), With: token})
	}
	r.out.writeLine(wire.Replace(m.Line, edits...))
}

// clientDeclares reports whether the client has declared that capability.
func (r *ServerRequests) clientDeclares(capability string) bool {
	capabilities := r.capabilities.Load()
	if capabilities == nil {
		return false
	}
	value := wire.Member(*capabilities, capability).Of(*capabilities)
	return len(value) > 0 && string(value) != "null"
}

// deliverResponse sends the client's response to the child that made the request, under
// the child's id. It reports whether there was such a request.
func (r *ServerRequests) deliverResponse(m *wire.Message) bool {
	p := r.removeAnswered(m.ID.Of(m.Line))
	if p == nil {
		return false
	}
	p.origin.Send(m.Line[:m.ID.Start], p.serverID, m.Line[m.ID.End:])
	return true
}

// removeAnswered removes and returns the request that the client's response with that raw
// id answers; nil if there is none.
func (r *ServerRequests) removeAnswered(id []byte) *pendingRequest {
	n, err := strconv.ParseInt(string(wire.KeyOf(id)), 10, 64)
	if err != nil {
		return nil
	}
	return r.removePending(n)
}

// deliverProgress sends the client's progress notification to the child that made the
// request, with the child's token.
func (r *ServerRequests) deliverProgress(m *wire.Message) {
	span := m.Param("progressToken")
	if p := r.findByToken(span.Of(m.Line)); p != nil {
		p.origin.Send(m.Line[:span.Start], p.serverToken, m.Line[span.End:])
	}
}

// unofferedNotifications are prefixes of notifications about features that the aggregator
// does not offer.
var unofferedNotifications = []string{"notifications/resources/", "notifications/prompts/"}

// forwardNotification forwards a child's notification to the client.
func (r *ServerRequests) forwardNotification(m *wire.Message, from Origin) {
	if m.MethodIs("notifications/cancelled") {
		r.forwardCancellation(m, from)
		return
	}
	method, _ := wire.Unquote(m.Method.Of(m.Line))
	for _, prefix := range unofferedNotifications {
		if strings.HasPrefix(method, prefix) {
			return
		}
	}
	r.out.writeLine(m.Line)
}

// forwardCancellation forwards a child's cancellation of a request, under the client's id
// of it.
func (r *ServerRequests) forwardCancellation(m *wire.Message, from Origin) {
	span := m.Param("requestId")
	if !span.Present() {
		return
	}
	if p := r.removePendingOf(from, span.Of(m.Line)); p != nil {
		r.out.writeLine(m.Line[:span.Start], strconv.AppendInt(nil, p.id, 10), m.Line[span.End:])
	}
}

// failAnswered answers a child's request with an error when the client's response to it
// cannot be read. It reports whether there was such a request.
func (r *ServerRequests) failAnswered(envelope wire.Envelope, problem *wire.Error) bool {
	if envelope.HasMethod || !envelope.HasResultOrError {
		return false
	}
	p := r.removeAnswered([]byte(envelope.ID))
	if p == nil {
		return false
	}
	p.origin.Send(wire.AppendErrorLine(nil, p.serverID, problem))
	return true
}
