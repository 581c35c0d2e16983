package service

import (
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// conn is one connection of a client. Answers are written with a deadline that moves
// while the client reads, so that one that does not read does not hold them for ever.
type conn struct {
	net.Conn

	table  *connTable
	linger atomic.Int64 // nanoseconds for which it is read after its end

	mu           sync.Mutex
	awaitsAnswer bool // a client of HTTP/1.1 waits for the first byte of an answer
	deadlines

	// Guarded by connTable.mu.
	place         *list.Element // its place among those that wait; nil while it has a request
	authenticated bool          // it had a request with the token
}

// connKey is where the context of a request has its conn.
type connKey struct{}

func connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// connOf is the connection of a request; nil in tests without one.
func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}

// begin takes note of a request that is to be answered.
func (c *conn) begin(interim bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaitsAnswer = interim
}

// readUntil sets the deadline of reading.
func (c *conn) readUntil(deadline time.Time) {
	if c != nil {
		_ = c.SetReadDeadline(deadline) // a connection that has ended needs none
	}
}

// lingerAfter has the end of the connection wait for a client that still sends. What
// net/http would still read of the body now is over.
func (c *conn) lingerAfter(d time.Duration) {
	if c != nil {
		c.linger.Store(int64(d))
		c.readUntil(past())
	}
}

// past is a deadline that has passed.
func past() time.Time { return time.Unix(1, 0) }

// least is what a client has to read of an answer in the time of a deadline, to get
// another one.
const least = 64 << 10

// Write implements net.Conn.
func (c *conn) Write(p []byte) (written int, err error) {
	c.mu.Lock()
	c.awaitsAnswer = false
	c.mu.Unlock()
	for {
		c.writeSoon(err != nil)
		var n int
		n, err = c.Conn.Write(p[written:])
		written += n
		if n < least || !errors.Is(err, os.ErrDeadlineExceeded) {
			return written, err
		}
	}
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	for errors.Is(err, os.ErrDeadlineExceeded) && c.early() {
		n, err = c.Conn.Read(p)
	}
	if errors.Is(err, io.EOF) && len(p) == 1 {
		return n, c.awaitHalfClosed()
	}
	return n, err
}

// awaitHalfClosed is what becomes of the one byte that net/http reads while a request is
// answered, to see whether the client has gone. A client that has only shut down its
// own side waits for the answer: it takes an interim response, while one that has
// gone refuses it.
func (c *conn) awaitHalfClosed() error {
	const soon, then = 50 * time.Millisecond, time.Second
	c.mu.Lock()
	aborted := c.aborted
	c.mu.Unlock()
	for pause := soon; ; pause = then {
		select {
		case <-time.After(pause):
		case <-aborted:
			return os.ErrDeadlineExceeded // as of any read
		}
		if !c.probe() {
			return io.EOF
		}
	}
}

var interim = []byte("HTTP/1.1 100 Continue\r\n\r\n")

// probe reports whether the client still waits for the first byte of an answer. The
// lock is held while a few bytes are written, before which nothing is in the way.
func (c *conn) probe() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.awaitsAnswer {
		return false
	}
	c.writing = time.Time{} // the next write has one of its own
	_ = c.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, err := c.Conn.Write(interim)
	return err == nil
}

// CloseWrite is what net/http looks for before it closes a connection whose client
// may still be sending.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Close implements net.Conn.
func (c *conn) Close() error {
	if d := time.Duration(c.linger.Swap(0)); d > 0 && c.table.lingering(func() { c.lingerFor(d) }) {
		return nil
	}
	return c.end()
}

// lingerFor ends our side, and reads until the client has ended its own.
func (c *conn) lingerFor(d time.Duration) {
	_ = c.CloseWrite()
	_ = c.Conn.SetReadDeadline(time.Now().Add(d))
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.end()
}

func (c *conn) end() error {
	c.table.forget(c)
	err := c.Conn.Close()
	c.readUntil(past()) // awaitHalfClosed ends
	return err
}

// deadlines are those of a connection. net/http sets five for each request, and moving
// the timer underneath costs more than the rest of reading it: one that is set fires
// early, and is set anew then, if its time has not come.
type deadlines struct {
	reading time.Time     // what was asked for; zero: none
	armed   time.Time     // when the timer of reading fires; zero: it does not
	aborted chan struct{} // closed while reading is over
	writing time.Time     // when the timer of writing fires
}

// earlyTimer is when the timer fires that nobody has asked for: no deadline is sooner.
const earlyTimer = 10 * time.Second

// SetReadDeadline implements net.Conn. A deadline that has passed ends a read at once.
func (c *conn) SetReadDeadline(t time.Time) error {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	wasOver, over := closed(c.aborted), !t.IsZero() && !t.After(now)
	c.reading = t
	switch {
	case over && !wasOver:
		close(c.aborted)
		return c.arm(t)
	case over:
		return c.arm(t)
	case wasOver:
		c.aborted = make(chan struct{})
		if soon := now.Add(earlyTimer); t.IsZero() || soon.Before(t) {
			return c.arm(soon)
		}
		return c.arm(t)
	case !t.IsZero() && (c.armed.IsZero() || t.Before(c.armed)):
		return c.arm(t)
	}
	return nil
}

// arm sets the timer of reading; the lock is held.
func (c *conn) arm(t time.Time) error {
	c.armed = t
	return c.Conn.SetReadDeadline(t)
}

// early reports whether the timer of reading has fired before the deadline, and sets it
// to that.
func (c *conn) early() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reading.IsZero() && !c.reading.After(time.Now()) {
		return false
	}
	return c.arm(c.reading) == nil
}

// SetWriteDeadline implements net.Conn: each write has a deadline of our own.
func (*conn) SetWriteDeadline(time.Time) error { return nil }

// writeSoon gives a write its deadline: a new one if the last has less than half of its
// time left, or if it must be new.
func (c *conn) writeSoon(anew bool) {
	now, limit := time.Now(), c.table.limits.Write
	c.mu.Lock()
	defer c.mu.Unlock()
	if anew || c.writing.Before(now.Add(limit/2)) {
		c.writing = now.Add(limit)
		_ = c.Conn.SetWriteDeadline(c.writing) // one that has ended fails anyway
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
