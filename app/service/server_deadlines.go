package service

import "time"

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
