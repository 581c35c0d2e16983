package remote

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// Call implements [sessions.Session].
func (s *session) Call(request *wire.Message, tool []byte, r sessions.Replier) {
	p := &pendingRequest{replier: r}
	if refusal := s.pending.addRequest(p); refusal != nil {
		r.Fail(refusal)
		return
	}
	var id [20]byte
	parts := request.Parts(strconv.AppendInt(id[:0], p.id, 10), tool)
	s.sendRequest(p, bytes.Join(parts[:], nil))
}

// sendRequest sends the line of a pending request. It is answered whatever happens to the
// session meanwhile.
func (s *session) sendRequest(p *pendingRequest, line []byte) {
	p.line = line
	if !s.submit(func(ctx context.Context, w *worker) { s.performRequest(ctx, w, p) }) {
		s.pending.failRequest(p, "the session ended before the call was sent", true)
	}
}

// Cancel implements [sessions.Session]. The server gets the client's own notification;
// then the call fails.
func (s *session) Cancel(notification *wire.Message, r sessions.Replier) {
	p, id, ok := s.pending.removeCallOf(r)
	if !ok {
		return
	}
	unsent := p.cancelUnsent()
	defer r.Fail(newError("the call was cancelled", unsent))
	if unsent {
		return
	}
	line := bytes.Clone(notification.Line)
	if span := notification.Param("requestId"); span.Present() {
		line = wire.Splice(notification.Line, span, strconv.AppendInt(nil, id, 10))
	}
	s.postMessage(line, p.abortPost)
}

// performRequest sends a request and, over streamable HTTP, reads the response. Over SSE
// the response comes in the event stream.
func (s *session) performRequest(ctx context.Context, w *worker, p *pendingRequest) {
	if !p.markSent(w.abort) {
		return // it was canceled, and so answered
	}
	defer p.markDone()
	resp, err := s.roundTrip(s.address.Load().newPost(ctx, p.line))
	switch {
	case err != nil:
		s.failUnanswered(ctx, p, err, !w.connected.Load())
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		s.handleErrorStatus(resp, p)
	case s.sse:
		drainBody(resp, p)
	case isMediaType(resp, document):
		s.readDocument(ctx, p, resp)
	case isMediaType(resp, eventStream):
		s.readStreams(ctx, p, resp)
	default:
		s.pending.failRequest(p, s.printable(statusText(resp, readBody(resp))+" and no answer"), false)
	}
}

// failUnanswered fails a request that got no response of HTTP.
func (s *session) failUnanswered(ctx context.Context, p *pendingRequest, err error, unsent bool) {
	if ctx.Err() != nil { // it was canceled, or the session ends
		s.pending.failRequest(p, "the session ended before the call was answered", unsent)
		return
	}
	s.pending.failRequest(p, s.printable(connectionErrorText(err, unsent)), unsent)
	if unreachable(err) {
		s.endBecause(connectionErrorText(err, true))
	}
}

// handleErrorStatus handles the response of HTTP to a request whose status is an error.
func (s *session) handleErrorStatus(resp *http.Response, p *pendingRequest) {
	body := readBody(resp)
	if s.isSessionUnknown(resp.StatusCode, body) {
		s.pending.failRequest(p, forgottenText, true)
		s.endForgotten()
		return
	}
	if m, ok := jsonRPCErrorIn(body, p); ok {
		if _, open := s.pending.Remove(p.id); open {
			p.replier.Reply(m)
		}
		return
	}
	s.pending.failRequest(p, s.printable(statusText(resp, body)), wasNotExecuted(resp.StatusCode))
}

// readDocument reads a response that is one JSON text.
func (s *session) readDocument(ctx context.Context, p *pendingRequest, resp *http.Response) {
	defer resp.Body.Close()
	in := s.newReceiver(p)
	defer in.putBack()
	if _, err := in.data.ReadFrom(resp.Body); err != nil {
		s.failBroken(ctx, p, err)
		return
	}
	in.receiveMessage(in.data.bytes, in.data.overflow)
	s.pending.failRequest(p, "the server answered with something else than the answer to the call", false)
}

// failBroken fails a request whose response was cut off.
func (s *session) failBroken(ctx context.Context, p *pendingRequest, err error) {
	if ctx.Err() != nil {
		err = errors.New("the session ended")
	}
	s.pending.failRequest(p, s.printable(connectionErrorText(err, false)), false)
}

// drainTime is how long the rest of a body is read after the part that was wanted.
const drainTime = 2 * time.Second

// drainBody reads the rest of a body for drainTime at most, so that its connection can be
// reused.
func drainBody(resp *http.Response, p *pendingRequest) {
	if resp.Body != http.NoBody {
		defer time.AfterFunc(drainTime, p.abortPost).Stop()
		readBody(resp)
	}
}
