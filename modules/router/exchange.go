package router

import (
	"bytes"
	"context"
	"errors"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// CancelledError is the cause (context.Cause) of a call's context that says why: Note is
// the client's notifications/cancelled.
type CancelledError struct{ Note *wire.Message }

func (*CancelledError) Error() string { return "the client has cancelled the call" }

// defaultCancellation tells a server that a call was cancelled by one who said no more.
var defaultCancellation = []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)

// outcome is how an exchange ended: one member is set.
type outcome struct {
	response     *wire.Message
	failure      *wire.Error // no answer will come
	err          error       // it was cancelled, or the service is stopping
	sessionEnded bool        // with failure: so has the session
}

// sendCall hands the call to the session and waits for the outcome.
func (r *RequestRouter) sendCall(ctx context.Context, t *target, call Call) outcome {
	if isClosed(r.stopped) {
		return outcome{err: servers.ErrStopping}
	}
	live := t.state.Live
	if !live.BeginCall() {
		return outcome{failure: &wire.Error{Unsent: true}, sessionEnded: true}
	}
	defer live.EndCall()
	d, _ := live.ServerRequests.(*serverRequests)
	e := newPendingCall(call)
	request := d.addCall(e, call.Request)
	defer d.removeCall(e)
	live.Call(request, t.entry.RawName, e)
	select {
	case o := <-e.done:
		o.sessionEnded = o.failure != nil && endsWithinGrace(live.Done())
		return o
	case <-ctx.Done():
		live.Cancel(cancellationOf(ctx), e)
		return outcome{err: ctx.Err()}
	case <-r.stopped:
		live.Cancel(cancellationOf(ctx), e)
		return outcome{err: &servers.LostError{Server: t.server.Name, Reason: "the service stopped before the answer"}}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sessionEndGrace is how long after a failure of a call the end of its session may show.
const sessionEndGrace = 250 * time.Millisecond

func endsWithinGrace(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(sessionEndGrace):
		return false
	}
}

func cancellationOf(ctx context.Context) *wire.Message {
	if c, ok := errors.AsType[*CancelledError](context.Cause(ctx)); ok && c.Note != nil {
		return c.Note
	}
	var m wire.Message
	_ = new(wire.Scanner).Scan(defaultCancellation, &m) // it is a message
	return &m
}

// maxRetries is how often a call is made again that may be executed more than once: one
// that ends its server ends the calls of others, too.
const maxRetries = 3

// shouldRetry reports whether the call, which was lost that often before, is to be made once
// more: at once, if the session goes on, otherwise when the server is there again. A
// session that goes on and loses a call for the second time would do so for ever.
func (o outcome) shouldRetry(t *target, losses int) bool {
	if o.failure.Unsent {
		return o.sessionEnded
	}
	return t.repeatable() && losses < maxRetries && (o.sessionEnded || losses == 0)
}

// finalError is the error of a call that is not made again.
func (o outcome) finalError(t *target) error {
	if o.failure.Unsent {
		return &servers.UnavailableError{Server: t.server.Name, Status: t.state.Status, Reason: o.failure.Message}
	}
	return &servers.LostError{Server: t.server.Name, Reason: o.failure.Message}
}

// pendingCall is one call at a session. It is the sessions.Replier.
type pendingCall struct {
	client      Client
	clientToken []byte // the client's progress token, raw JSON; nil if it has none
	serverToken string // the one that the server has instead
	done        chan outcome
}

func newPendingCall(call Call) *pendingCall {
	return &pendingCall{client: call.Client, done: make(chan outcome, 1)}
}

// Reply implements sessions.Replier.
func (e *pendingCall) Reply(response *wire.Message) {
	kept := *response
	kept.Line = bytes.Clone(response.Line)
	e.finish(outcome{response: &kept})
}

// Fail implements sessions.Replier.
func (e *pendingCall) Fail(err *wire.Error) { e.finish(outcome{failure: err}) }

func (e *pendingCall) finish(o outcome) {
	select {
	case e.done <- o:
	default: // answered twice
	}
}
