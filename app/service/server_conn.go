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

// conn is one connection of a client. The deadline of writes moves while the client
// reads, so that a client that does not read does not hold a response forever.
type conn struct {
	net.Conn

	table  *connTable
	linger atomic.Int64 // nanoseconds for which it is still read after Close

	mu           sync.Mutex
	awaitsAnswer bool // a client of HTTP/1.1 waits for the first byte of a response
	deadlines

	// Guarded by connTable.mu.
	place         *list.Element // its element of a list of connTable; nil while it has a request
	authenticated bool          // it had a request with the token
}

// connKey is the key of the conn in the context of a request.
type connKey struct{}

func connContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// connOf returns the connection of a request; nil in tests without one.
func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}

// begin records the start of a request. With interim the client understands interim
// responses.
func (c *conn) begin(interim bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaitsAnswer = interim
}

// readUntil sets the deadline of reads.
func (c *conn) readUntil(deadline time.Time) {
	if c != nil {
		_ = c.SetReadDeadline(deadline) // it fails only for a closed connection
	}
}

// lingerAfter makes Close wait for a client that is still sending, and makes net/http
// stop reading the body.
func (c *conn) lingerAfter(d time.Duration) {
	if c != nil {
		c.linger.Store(int64(d))
		c.readUntil(past())
	}
}

// past returns a deadline that has passed.
func past() time.Time { return time.Unix(1, 0) }

// minProgress is how many bytes a client must read before a write's deadline to get
// another one.
const minProgress = 64 << 10

// Write implements net.Conn.
func (c *conn) Write(p []byte) (written int, err error) {
	c.mu.Lock()
	c.awaitsAnswer = false
	c.mu.Unlock()
	for {
		c.extendWrite(err != nil)
		var n int
		n, err = c.Conn.Write(p[written:])
		written += n
		if n < minProgress || !errors.Is(err, os.ErrDeadlineExceeded) {
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

// awaitHalfClosed handles the end of input while a request is handled: net/http reads one
// byte then, to notice a client that has gone. A client that has only shut down its
// sending side waits for the response: it accepts an interim response, which one that
// has gone does not.
func (c *conn) awaitHalfClosed() error {
	const soon, then = 50 * time.Millisecond, time.Second
	c.mu.Lock()
	aborted := c.aborted
	c.mu.Unlock()
	for pause := soon; ; pause = then {
		select {
		case <-time.After(pause):
		case <-aborted:
			return os.ErrDeadlineExceeded // as any read returns
		}
		if !c.probe() {
			return io.EOF
		}
	}
}

var interim = []byte("HTTP/1.1 100 Continue\r\n\r\n")

// probe reports whether the client still waits for the first byte of a response. It holds
// c.mu while it writes a few bytes, which cannot block: nothing was written before.
func (c *conn) probe() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.awaitsAnswer {
		return false
	}
	c.writing = time.Time{} // the next write sets its own
	_ = c.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	_, err := c.Conn.Write(interim)
	return err == nil
}

// CloseWrite shuts down the sending side. Net/http looks for this method before it closes
// a connection whose client may still be sending.
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
	return c.closeNow()
}

// lingerFor shuts down the sending side and reads until the client closes its own.
func (c *conn) lingerFor(d time.Duration) {
	_ = c.CloseWrite()
	_ = c.Conn.SetReadDeadline(time.Now().Add(d))
	_, _ = io.Copy(io.Discard, c.Conn)
	_ = c.closeNow()
}

func (c *conn) closeNow() error {
	c.table.forget(c)
	err := c.Conn.Close()
	c.readUntil(past()) // ends awaitHalfClosed
	return err
}

// deadlines are the deadlines of a connection. Net/http sets five for each request, and
// moving the timer underneath costs more than reading the request. So a timer stays as it
// is, fires early, and is then set again if its deadline has not passed.
type deadlines struct {
	reading time.Time     // the deadline that was set; zero for none
	armed   time.Time     // when the timer of reads fires; zero for never
	aborted chan struct{} // closed while the deadline of reads has passed
	writing time.Time     // when the timer of writes fires
}

// earlyTimer is when a timer fires that is set for no deadline. No deadline is sooner.
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

// arm sets the timer of reads; c.mu is held.
func (c *conn) arm(t time.Time) error {
	c.armed = t
	return c.Conn.SetReadDeadline(t)
}

// early reports whether the timer of reads fired before the deadline, and sets it to the
// deadline if so.
func (c *conn) early() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reading.IsZero() && !c.reading.After(time.Now()) {
		return false
	}
	return c.arm(c.reading) == nil
}

// SetWriteDeadline implements net.Conn: Write sets its own deadlines.
func (*conn) SetWriteDeadline(time.Time) error { return nil }

// extendWrite sets the deadline of a write, unless the present one has more than half of
// its time left. With force it always does.
func (c *conn) extendWrite(force bool) {
	now, limit := time.Now(), c.table.limits.Write
	c.mu.Lock()
	defer c.mu.Unlock()
	if force || c.writing.Before(now.Add(limit/2)) {
		c.writing = now.Add(limit)
		_ = c.Conn.SetWriteDeadline(c.writing) // it fails only for a closed connection
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
