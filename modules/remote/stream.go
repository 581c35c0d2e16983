package remote

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// resumption is the state by which an event stream that breaks is resumed
// (MCP, basic/transports, resumability).
type resumption struct {
	lastEventID string        // id of the last event that had one
	pause       time.Duration // that the server asks for; 0 for none
	failures    int           // attempts in a row that brought no event
}

// recordEvent records the id and the pause of an event.
func (at *resumption) recordEvent(ev event) {
	at.failures = 0
	if ev.id != "" {
		at.lastEventID = ev.id
	}
	if n, err := strconv.Atoi(ev.retry); err == nil && n >= 0 {
		at.pause = time.Duration(min(n, maxPause)) * time.Millisecond
	}
}

const (
	maxResumes = 5         // in a row that bring no event
	maxPause   = 3_600_000 // milliseconds that a server may ask for
	firstPause = time.Second
)

// waitBeforeResuming waits before an attempt to resume: as long as the server asks for, or
// longer each time. It reports false if the context ends.
func (at *resumption) waitBeforeResuming(ctx context.Context) bool {
	pause := at.pause
	if pause == 0 {
		pause = firstPause << at.failures
		pause += rand.N(pause) //nolint:gosec // it spreads the load and is no secret
	}
	return sleep(ctx, pause)
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// readStreams reads the event stream with the response to p, and those that resume it
// when it breaks: the request is not sent again.
func (s *session) readStreams(ctx context.Context, p *pendingRequest, resp *http.Response) {
	var at resumption
	for resp != nil {
		s.readStream(resp, p, &at)
		switch {
		case !s.pending.Has(p.id):
			return
		case ctx.Err() != nil:
			s.failBroken(ctx, p, ctx.Err())
			return
		case at.lastEventID == "":
			s.pending.failRequest(p, "the server ended the answer before it was complete", false)
			return
		}
		resp = s.resumeStream(ctx, p, &at)
	}
}

// readStream reads one stream to its end, so that the connection can be reused, but for
// drainTime at most once the response has come.
func (s *session) readStream(resp *http.Response, p *pendingRequest, at *resumption) {
	defer resp.Body.Close()
	in := s.newReceiver(p)
	defer in.putBack()
	events := in.newEventReader(resp.Body)
	var end *time.Timer
	for {
		ev, err := events.nextEvent()
		if err != nil {
			break
		}
		at.recordEvent(ev)
		in.receiveEvent(ev)
		if end == nil && !s.pending.Has(p.id) {
			end = time.AfterFunc(drainTime, p.abortPost)
		}
	}
	if end != nil {
		end.Stop()
	}
}

// resumeStream requests the messages since the stream broke; it returns nil if p has
// failed.
func (s *session) resumeStream(ctx context.Context, p *pendingRequest, at *resumption) *http.Response {
	for ; at.failures < maxResumes; at.failures++ {
		if !at.waitBeforeResuming(ctx) {
			s.failBroken(ctx, p, ctx.Err())
			return nil
		}
		resp, err := s.roundTrip(s.address.Load().newResumption(ctx, at.lastEventID))
		switch {
		case err == nil && resp.StatusCode == http.StatusOK && isMediaType(resp, eventStream):
			at.failures++
			return resp
		case err == nil:
			s.failUnresumed(resp, p)
			return nil
		case unreachable(err) && ctx.Err() == nil:
			s.endBecause(connectionErrorText(err, true))
			return nil
		}
	}
	s.pending.failRequest(p, "the server ended the answer again and again before it was complete", false)
	return nil
}

func (s *session) failUnresumed(resp *http.Response, p *pendingRequest) {
	body := readBody(resp)
	s.pending.failRequest(p, s.printable("the answer broke off, and could not be resumed: "+statusText(resp, body)), false)
	if s.isSessionUnknown(resp.StatusCode, body) {
		s.endForgotten()
	}
}
