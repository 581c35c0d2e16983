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

// requestLimiter is the outermost handler. It bounds the time in which a body arrives and
// the memory of all bodies, and lets a response go out before the body was read.
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
	b.header["Connection"] = closing // otherwise net/http reads the whole body before it responds
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
	header http.Header // of the response

	began    time.Time
	deadline time.Time // as last set
	read     int64
	held     int64 // bytes of the budget
	done     bool  // it was read to its end
	passes   bool  // its request has the token
}

// step is how many bytes of the budget a body acquires at a time, as it arrives.
const step = 1 << 20

// Read implements io.Reader. It returns *servers.BusyError if there is no room.
func (b *body) Read(p []byte) (int, error) {
	if b.read >= b.limits.Free+b.held && !b.done {
		if !b.budget.acquire(b, step, b.limits.Room) {
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

// extendDeadline sets the deadline of the next read, which moves with the bytes that
// have arrived.
func (b *body) extendDeadline() {
	seconds := time.Duration(b.read/b.limits.Pace) * time.Second
	if deadline := b.began.Add(b.limits.Grace + seconds); deadline != b.deadline && !b.done {
		b.deadline = deadline
		b.conn.readUntil(deadline)
	}
}

// finish releases the budget of the body once its request was answered. If the body was
// not read to its end, the connection closes, but lingers for a client that reads the
// response only after it has sent everything.
func (b *body) finish() {
	b.budget.release(b, b.held)
	switch {
	case b.done:
	case b.passes:
		b.conn.lingerAfter(b.limits.Linger)
	default:
		b.conn.lingerAfter(b.limits.LingerRefused)
	}
}

// budget bounds the bytes that all bodies hold together. The oldest holder may exceed it,
// so that bodies that share all of it do not wait for each other forever.
type budget struct {
	mu      sync.Mutex
	left    int64
	holders []*body       // oldest first
	freed   chan struct{} // closed when bytes are released
}

func newBudget(size int64) *budget { return &budget{left: size, freed: make(chan struct{})} }

// acquire acquires n bytes for a body, waiting for them if needed. It reports false if
// the wait ends without them.
func (b *budget) acquire(holder *body, n int64, wait time.Duration) bool {
	freed, ok := b.tryAcquire(holder, n)
	if ok {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !ok {
		select {
		case <-freed:
			freed, ok = b.tryAcquire(holder, n)
		case <-timer.C:
			return false
		}
	}
	return true
}

func (b *budget) tryAcquire(holder *body, n int64) (freed <-chan struct{}, ok bool) {
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

// release releases the n bytes that a body holds.
func (b *budget) release(holder *body, n int64) {
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
