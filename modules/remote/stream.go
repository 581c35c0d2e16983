package remote

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// resumption is how an event stream that breaks goes on (MCP, basic/transports,
// resumability).
type resumption struct {
	last  string        // id of the last event that had one
	pause time.Duration // that the server asks for; 0 if it does not
	vain  int           // attempts in a row that brought nothing
}

// read takes note of an event.
func (at *resumption) read(ev event) {
	at.vain = 0
	if ev.id != "" {
		at.last = ev.id
	}
	if n, err := strconv.Atoi(ev.retry); err == nil && n >= 0 {
		at.pause = time.Duration(min(n, maxPause)) * time.Millisecond
	}
}

const (
	maxResumes = 5         // in a row that bring nothing new
	maxPause   = 3_600_000 // milliseconds that a server may ask for
	firstPause = time.Second
)

// wait waits before an attempt to resume: as long as the server asks for, or longer
// each time. It reports false if the context ended.
func (at *resumption) wait(ctx context.Context) bool {
	pause := at.pause
	if pause == 0 {
		pause = firstPause << at.vain
		pause += rand.N(pause) //nolint:gosec // servers' clients are spread, no secret is made
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

// readStreams reads the event stream that has the answer to p, and those that resume it
// when it breaks: nothing is sent again.
func (s *session) readStreams(ctx context.Context, p *pendingRequest, resp *http.Response) {
	var at resumption
	for resp != nil {
		s.readStream(resp, p, &at)
		switch {
		case !s.pending.Has(p.id):
			return
		case ctx.Err() != nil:
			s.broke(ctx, p, ctx.Err())
			return
		case at.last == "":
			s.pending.fail(p, "the server ended the answer before it was complete", false)
			return
		}
		resp = s.resume(ctx, p, &at)
	}
}

// readStream reads one stream to its end, which is not waited for long once the answer
// has come: the connection can be used again then.
func (s *session) readStream(resp *http.Response, p *pendingRequest, at *resumption) {
	defer resp.Body.Close()
	in := s.receiver(p)
	defer in.free()
	events := in.events(resp.Body)
	var end *time.Timer
	for {
		ev, err := events.next()
		if err != nil {
			break
		}
		at.read(ev)
		in.event(ev)
		if end == nil && !s.pending.Has(p.id) {
			end = time.AfterFunc(drainTime, p.breakOff)
		}
	}
	if end != nil {
		end.Stop()
	}
}

// resume asks the server for what it has said since the stream broke; nil if p was
// answered meanwhile, by an error.
func (s *session) resume(ctx context.Context, p *pendingRequest, at *resumption) *http.Response {
	for ; at.vain < maxResumes; at.vain++ {
		if !at.wait(ctx) {
			s.broke(ctx, p, ctx.Err())
			return nil
		}
		resp, err := s.send(s.address.Load().resumption(ctx, at.last))
		switch {
		case err == nil && resp.StatusCode == http.StatusOK && isMediaType(resp, eventStream):
			at.vain++
			return resp
		case err == nil:
			s.notResumed(resp, p)
			return nil
		case unreachable(err) && ctx.Err() == nil:
			s.lost(broken(err, true))
			return nil
		}
	}
	s.pending.fail(p, "the server ended the answer again and again before it was complete", false)
	return nil
}

func (s *session) notResumed(resp *http.Response, p *pendingRequest) {
	body := bodyOf(resp)
	s.pending.fail(p, s.shown("the answer broke off, and could not be resumed: "+statusText(resp, body)), false)
	if s.missing(resp.StatusCode, body) {
		s.forgotten()
	}
}
