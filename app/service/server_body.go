package service

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcp-aggregator/modules/servers"
)

// requestLimiter is what all requests pass first. Their bodies have to arrive in time, and
// within a budget that all share; and an answer does not wait for a body that nobody
// reads.
type requestLimiter struct {
	limits limits
	budget *budget
	passes func(*http.Request) bool // whether a request has the token
	next   http.Handler
}

// ServeHTTP implements http.Handler.
func (i *requestLimiter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	passes := i.passes(r)
	c := connOf(r)
	c.begin(r.ProtoAtLeast(1, 1))
	if passes {
		c.authenticate()
		defer c.requestAnswered()
	}
	if r.Body == nil || r.Body == http.NoBody {
		if passes {
			c.requestComplete()
		}
		i.next.ServeHTTP(w, r)
		return
	}
	b := &body{
		ReadCloser: r.Body, limits: &i.limits, budget: i.budget, conn: c, header: w.Header(), began: time.Now(), passes: passes,
	}
	b.header["Connection"] = closing // or net/http reads on before it answers
	r.Body = b
	defer b.finish()
	i.next.ServeHTTP(w, r)
}

var closing = []string{"close"}

// body is the body of a request.
type body struct {
	io.ReadCloser

	limits *limits
	budget *budget
	conn   *conn
	header http.Header // of the answer

	began    time.Time
	deadline time.Time // the last one that was set
	read     int64
	held     int64 // of the budget
	done     bool  // it was read to its end
	passes   bool  // its request has the token
}

// step is what a body takes of the budget at a time: it grows with what arrives.
const step = 1 << 20

// Read implements io.Reader. It returns *servers.BusyError if there is no room.
func (b *body) Read(p []byte) (int, error) {
	if b.read >= b.limits.Free+b.held && !b.done {
		if !b.budget.take(b, step, b.limits.Room) {
			return 0, &servers.BusyError{}
		}
		b.held += step
	}
	b.extendDeadline()
	n, err := b.ReadCloser.Read(p[:min(len(p), step)])
	b.read += int64(n)
	if errors.Is(err, io.EOF) && !b.done {
		b.done = true
		b.header.Del("Connection")
		b.conn.readUntil(time.Time{}) // only the body has a deadline
		if b.passes {
			b.conn.requestComplete()
		}
	}
	return n, err
}

// extendDeadline sets the deadline of the next read. It moves with what has arrived.
func (b *body) extendDeadline() {
	seconds := time.Duration(b.read/b.limits.Pace) * time.Second
	if deadline := b.began.Add(b.limits.Grace + seconds); deadline != b.deadline && !b.done {
		b.deadline = deadline
		b.conn.readUntil(deadline)
	}
}

// finish gives back what the body holds, once its request is answered. If there is more
// of it, the connection ends: nothing is read any more but what the client needs to be
// done with, before it looks at the answer.
func (b *body) finish() {
	b.budget.give(b, b.held)
	switch {
	case b.done:
	case b.passes:
		b.conn.lingerAfter(b.limits.Linger)
	default:
		b.conn.lingerAfter(b.limits.LingerRefused)
	}
}

// budget is how many bytes the bodies under way may hold together. The one that has held
// some for longest may go beyond it, so that bodies that hold all of it between them do
// not wait for each other in vain.
type budget struct {
	mu      sync.Mutex
	left    int64
	holders []*body       // in the order in which they came
	freed   chan struct{} // closed when some come back
}

func newBudget(size int64) *budget { return &budget{left: size, freed: make(chan struct{})} }

// take takes n bytes for a body, and waits for them as long as that. It reports whether
// it has them.
func (b *budget) take(holder *body, n int64, wait time.Duration) bool {
	freed, ok := b.try(holder, n)
	if ok {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !ok {
		select {
		case <-freed:
			freed, ok = b.try(holder, n)
		case <-timer.C:
			return false
		}
	}
	return true
}

func (b *budget) try(holder *body, n int64) (freed <-chan struct{}, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < n && (len(b.holders) == 0 || b.holders[0] != holder) {
		return b.freed, false
	}
	b.left -= n
	if !slices.Contains(b.holders, holder) {
		b.holders = append(b.holders, holder)
	}
	return nil, true
}

// give gives back the n bytes that a body holds.
func (b *budget) give(holder *body, n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	b.holders = slices.DeleteFunc(b.holders, func(other *body) bool { return other == holder })
	close(b.freed)
	b.freed = make(chan struct{})
}
