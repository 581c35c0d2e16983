package upstream

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"mcp-aggregator/modules/wire"
)

// Origin is a child as the one to bring the client's answers to.
type Origin interface {
	// Send writes one line made of parts to the child. It does not block.
	Send(parts ...[]byte)
}

// ServerRequests carries what children ask and tell the client, and brings its answers
// back. A request reaches the client under an id of ours, since the ids of
// different children collide.
type ServerRequests struct {
	out          *Output
	capabilities atomic.Pointer[[]byte] // raw JSON of the client's capabilities

	ready   atomic.Bool // the client takes requests and notifications
	queueMu sync.Mutex
	queued  []queuedMessage // what came before it did, in order

	queuedBytes int

	mu             sync.Mutex
	exited         map[Origin]bool // the children that have ended
	pendingCount   map[Origin]int  // how many requests of a child the client has not answered
	lastID         int64
	pending        map[int64]*pendingRequest    // by our id
	pendingByToken map[wire.Key]*pendingRequest // by the progress token that the client knows
}

// pendingRequest is one request of a child that the client has not answered.
type pendingRequest struct {
	origin      Origin
	id          int64
	serverID    []byte   // the child's id, raw JSON
	serverToken []byte   // the child's progress token, raw JSON; nil without one
	clientToken wire.Key // of the token that the client knows
}

// NewServerRequests returns the requests of children to the client behind out.
func NewServerRequests(out *Output) *ServerRequests {
	return &ServerRequests{out: out, exited: make(map[Origin]bool), pendingCount: make(map[Origin]int), pending: make(map[int64]*pendingRequest), pendingByToken: make(map[wire.Key]*pendingRequest)}
}

// HandleServerMessage carries one request or notification of a child to the client, as soon as
// the client is ready for it.
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

// Flush writes out what has gathered.
func (r *ServerRequests) Flush() { r.out.Flush() }

// ServerExited cancels what a child has asked: it has ended.
func (r *ServerRequests) ServerExited(from Origin) {
	for _, id := range r.removeAllPendingOf(from) {
		r.out.writeLine([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`),
			strconv.AppendInt(nil, id, 10), []byte(`,"reason":"the server has ended"}}`))
	}
}

// setCapabilities takes note of what the client can do.
func (r *ServerRequests) setCapabilities(capabilities []byte) { r.capabilities.Store(&capabilities) }

// requiredCapabilities names the capability that the client must have declared for a method.
var requiredCapabilities = map[string]string{
	"sampling/createMessage": "sampling",
	"elicitation/create":     "elicitation",
	"roots/list":             "roots",
}

func (r *ServerRequests) forwardRequest(m *wire.Message, from Origin) {
	method, _ := wire.Unquote(m.Method.Of(m.Line))
	if need, ok := requiredCapabilities[method]; ok && !r.clientDeclares(need) {
		from.Send(wire.AppendErrorLine(nil, m.ID.Of(m.Line), wire.MethodNotFound(method+": the client has no "+need)))
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

func (r *ServerRequests) clientDeclares(capability string) bool {
	capabilities := r.capabilities.Load()
	if capabilities == nil {
		return false
	}
	value := wire.Member(*capabilities, capability).Of(*capabilities)
	return len(value) > 0 && string(value) != "null"
}

// deliverResponse brings the client's response to the child that asked, under the
// child's own id. It reports whether anyone had.
func (r *ServerRequests) deliverResponse(m *wire.Message) bool {
	a := r.removeAnswered(m.ID.Of(m.Line))
	if a == nil {
		return false
	}
	a.origin.Send(m.Line[:m.ID.Start], a.serverID, m.Line[m.ID.End:])
	return true
}

// removeAnswered removes and returns the request that the client answers under that id;
// nil when there is none.
func (r *ServerRequests) removeAnswered(id []byte) *pendingRequest {
	ours, err := strconv.ParseInt(string(wire.KeyOf(id)), 10, 64)
	if err != nil {
		return nil
	}
	return r.removePending(ours)
}

// deliverProgress brings the client's progress on a request to the child that made
// it, under the child's own token.
func (r *ServerRequests) deliverProgress(m *wire.Message) {
	span := m.Param("progressToken")
	if a := r.findByToken(span.Of(m.Line)); a != nil {
		a.origin.Send(m.Line[:span.Start], a.serverToken, m.Line[span.End:])
	}
}

// unofferedNotifications are the notifications of features that the aggregator does not
// announce, by how their names begin.
var unofferedNotifications = []string{"notifications/resources/", "notifications/prompts/"}

// forwardNotification carries one notification of a child to the client.
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

// forwardCancellation tells the client that a child no longer waits for its answer, under
// the id that the client knows.
func (r *ServerRequests) forwardCancellation(m *wire.Message, from Origin) {
	span := m.Param("requestId")
	if !span.Present() {
		return
	}
	if a := r.removePendingOf(from, span.Of(m.Line)); a != nil {
		r.out.writeLine(m.Line[:span.Start], strconv.AppendInt(nil, a.id, 10), m.Line[span.End:])
	}
}

// failAnswered answers a child's request in the place of the client, whose answer
// cannot be read. It reports whether there was one.
func (r *ServerRequests) failAnswered(envelope wire.Envelope, problem *wire.Error) bool {
	if envelope.Method || !envelope.Outcome {
		return false
	}
	a := r.removeAnswered([]byte(envelope.ID))
	if a == nil {
		return false
	}
	a.origin.Send(wire.AppendErrorLine(nil, a.serverID, problem))
	return true
}
