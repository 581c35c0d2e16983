package router

import (
	"bytes"
	"context"
	"errors"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/wire"
)

// CancelledError is the cause (context.Cause) of a call's context that ended because the
// client has cancelled the call. Note is the client's notifications/cancelled.
type CancelledError struct{ Note *wire.Message }

func (*CancelledError) Error() string { return "the client has cancelled the call" }

// defaultCancellation is sent to the server if the call's context has no
// [CancelledError].
var defaultCancellation = []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":0}}`)

// outcome is how a call at a session ended. One of response, failure and err is set.
type outcome struct {
	response     *wire.Message
	failure      *wire.Error // there will be no response
	err          error       // the call was cancelled, or the service is stopping
	sessionEnded bool        // with failure: the session has ended
}

// sendCall sends the call to the session and waits for the outcome.
func (r *RequestRouter) sendCall(ctx context.Context, t *target, call Call) outcome {
	if isClosed(r.stopped) {
		return outcome{err: servers.ErrStopping}
	}
	live := t.state.Live
	if !live.BeginCall() {
		return outcome{failure: &wire.Error{Unsent: true}, sessionEnded: true}
	}
	defer live.EndCall()
	requests, _ := live.ServerRequests.(*serverRequests)
	pending := newPendingCall(call)
	request := requests.addCall(pending, call.Request)
	defer requests.removeCall(pending)
	live.Call(request, t.entry.RawName, pending)
	select {
	case o := <-pending.done:
		o.sessionEnded = o.failure != nil && endsWithinGrace(live.Done())
		return o
	case <-ctx.Done():
		live.Cancel(cancellationOf(ctx), pending)
		return outcome{err: ctx.Err()}
	case <-r.stopped:
		live.Cancel(cancellationOf(ctx), pending)
		return outcome{err: &servers.LostError{Server: t.server.Name, Reason: "the service stopped before the response"}}
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

// sessionEndGrace is how long after the failure of a call to wait for the end of its
// session.
const sessionEndGrace = 250 * time.Millisecond

// endsWithinGrace reports whether done is closed within sessionEndGrace.
func endsWithinGrace(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-time.After(sessionEndGrace):
		return false
	}
}

// cancellationOf returns the notifications/cancelled for a call whose context has ended.
func cancellationOf(ctx context.Context) *wire.Message {
	if c, ok := errors.AsType[*CancelledError](context.Cause(ctx)); ok && c.Note != nil {
		return c.Note
	}
	var m wire.Message
	_ = new(wire.Scanner).Scan(defaultCancellation, &m) // cannot fail
	return &m
}

// maxRetries bounds the retries of a repeatable call. A call that makes its server exit
// also ends the calls of others.
const maxRetries = 3

// shouldRetry reports whether to retry a call that has been lost that many times: at once
// if the session continues, otherwise when the server is connected again. In a session
// that continues, a call is retried only once; it could be lost again and again.
func (o outcome) shouldRetry(t *target, losses int) bool {
	if o.failure.Unsent {
		return o.sessionEnded
	}
	return t.repeatable() && losses < maxRetries && (o.sessionEnded || losses == 0)
}

// finalError returns the error of a call that is not retried.
func (o outcome) finalError(t *target) error {
	if o.failure.Unsent {
		return &servers.UnavailableError{Server: t.server.Name, Status: t.state.Status, Reason: o.failure.Message}
	}
	return &servers.LostError{Server: t.server.Name, Reason: o.failure.Message}
}

// pendingCall is one call at a session. It implements sessions.Replier.
type pendingCall struct {
	client      Client
	clientToken []byte // the client's progress token, raw JSON; nil without one
	serverToken string // the progress token towards the server
	done        chan outcome
}

func newPendingCall(call Call) *pendingCall {
	return &pendingCall{client: call.Client, done: make(chan outcome, 1)}
}

// Reply implements sessions.Replier.
func (c *pendingCall) Reply(response *wire.Message) {
	kept := *response
	kept.Line = bytes.Clone(response.Line)
	c.finish(outcome{response: &kept})
}

// Fail implements sessions.Replier.
func (c *pendingCall) Fail(err *wire.Error) { c.finish(outcome{failure: err}) }

// finish delivers the outcome. Only the first one counts.
func (c *pendingCall) finish(o outcome) {
	select {
	case c.done <- o:
	default: // a second outcome
	}
}
