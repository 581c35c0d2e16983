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
	if refusal := s.pending.add(p); refusal != nil {
		r.Fail(refusal)
		return
	}
	var id [20]byte
	parts := request.Parts(strconv.AppendInt(id[:0], p.id, 10), tool)
	s.start(p, bytes.Join(parts[:], nil))
}

// start sends the line of a request that was filed: whatever happens to the session
// meanwhile, it is answered.
func (s *session) start(p *pendingRequest, line []byte) {
	p.line = line
	if !s.do(func(ctx context.Context, w *worker) { s.perform(ctx, w, p) }) {
		s.pending.fail(p, "the session ended before the call was sent", true)
	}
}

// Cancel implements [sessions.Session]. The server hears of it in the client's own
// words; then the answer is not waited for.
func (s *session) Cancel(notification *wire.Message, r sessions.Replier) {
	p, id, ok := s.pending.takeOf(r)
	if !ok {
		return
	}
	unsent := p.cancel()
	defer r.Fail(errorOfOurs("the call was cancelled", unsent))
	if unsent {
		return
	}
	line := bytes.Clone(notification.Line)
	if span := notification.Param("requestId"); span.Present() {
		line = wire.Splice(notification.Line, span, strconv.AppendInt(nil, id, 10))
	}
	s.post(line, p.breakOff)
}

// perform sends a request and, over streamable HTTP, reads its answer. Over SSE that
// comes in the event stream.
func (s *session) perform(ctx context.Context, w *worker, p *pendingRequest) {
	if !p.begin(w.abort) {
		return // it was answered, too
	}
	defer p.finish()
	resp, err := s.send(s.address.Load().request(ctx, p.line))
	switch {
	case err != nil:
		s.unanswered(ctx, p, err, !w.connected.Load())
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		s.refused(resp, p)
	case s.sse:
		drain(resp, p)
	case isMediaType(resp, document):
		s.readDocument(ctx, p, resp)
	case isMediaType(resp, eventStream):
		s.readStreams(ctx, p, resp)
	default:
		s.pending.fail(p, s.shown(statusText(resp, bodyOf(resp))+" and no answer"), false)
	}
}

// unanswered ends a request to which there was no response of HTTP.
func (s *session) unanswered(ctx context.Context, p *pendingRequest, err error, unsent bool) {
	if ctx.Err() != nil { // it was cancelled, or the session ends
		s.pending.fail(p, "the session ended before the call was answered", unsent)
		return
	}
	s.pending.fail(p, s.shown(broken(err, unsent)), unsent)
	if unreachable(err) {
		s.lost(broken(err, true))
	}
}

// refused ends a request that was answered with the status of an error.
func (s *session) refused(resp *http.Response, p *pendingRequest) {
	body := bodyOf(resp)
	if s.missing(resp.StatusCode, body) {
		s.pending.fail(p, forgot, true)
		s.forgotten()
		return
	}
	if m, ok := errorIn(body, p); ok {
		if _, open := s.pending.Remove(p.id); open {
			p.replier.Reply(m)
		}
		return
	}
	s.pending.fail(p, s.shown(statusText(resp, body)), neverExecuted(resp.StatusCode))
}

// readDocument reads an answer that is one JSON text.
func (s *session) readDocument(ctx context.Context, p *pendingRequest, resp *http.Response) {
	defer resp.Body.Close()
	in := s.receiver(p)
	defer in.free()
	if _, err := in.data.ReadFrom(resp.Body); err != nil {
		s.broke(ctx, p, err)
		return
	}
	in.receive(in.data.bytes, in.data.excess)
	s.pending.fail(p, "the server answered with something else than the answer to the call", false)
}

// broke ends a request whose answer was cut off.
func (s *session) broke(ctx context.Context, p *pendingRequest, err error) {
	if ctx.Err() != nil {
		err = errors.New("the session ended")
	}
	s.pending.fail(p, s.shown(broken(err, false)), false)
}

// drainTime is how long the body of a response may go on after what was wanted of it.
const drainTime = 2 * time.Second

// drain reads the rest of a response that nobody wants, so that its connection can be
// used again, for as long as drainTime.
func drain(resp *http.Response, p *pendingRequest) {
	if resp.Body != http.NoBody {
		defer time.AfterFunc(drainTime, p.breakOff).Stop()
		bodyOf(resp)
	}
}
