package service

import (
	"container/list"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// connTable has the connections of an HTTP server that wait: that have no request with
// the token. They are bounded: each one too many ends another, the oldest of those that
// never had such a request, or else of all.
type connTable struct {
	limits limits

	mu              sync.Mutex
	unauthenticated list.List // of *conn, oldest first
	authenticated   list.List // likewise; those that had a request with the token
	closed          bool
	work            sync.WaitGroup // those that linger
}

func newConnTable(l limits) *connTable { return &connTable{limits: l} }

// over returns the listener whose connections are bounded.
func (s *connTable) over(l net.Listener) net.Listener { return &boundedListener{l, s} }

type boundedListener struct {
	net.Listener

	of *connTable
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		switch {
		case err == nil:
			return l.of.add(c), nil
		case !exhausted(err) || !l.of.evict():
			return nil, err
		}
		time.Sleep(time.Millisecond) // the one that is closed has to be let go of
	}
}

// exhausted reports whether there are no descriptors left.
func exhausted(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func (s *connTable) add(accepted net.Conn) *conn {
	c := &conn{Conn: accepted, table: s, deadlines: deadlines{aborted: make(chan struct{})}}
	s.mu.Lock()
	c.place = s.unauthenticated.PushBack(c)
	over := s.unauthenticated.Len()+s.authenticated.Len() > s.limits.Waiting
	s.mu.Unlock()
	if over {
		s.evict()
	}
	return c
}

// evict ends the connection that waits for longest, if there is one.
func (s *connTable) evict() bool {
	s.mu.Lock()
	oldest := s.unauthenticated.Front()
	if s.unauthenticated.Len() < 2 && s.authenticated.Len() > 0 { // the newest may be about to ask
		oldest = s.authenticated.Front()
	}
	s.mu.Unlock()
	if oldest == nil {
		return false
	}
	c, _ := oldest.Value.(*conn)
	_ = c.end() // nothing was promised to it
	return true
}

// endWaiting ends all connections that wait.
func (s *connTable) endWaiting() {
	s.mu.Lock()
	var all []*conn
	for _, waits := range []*list.List{&s.unauthenticated, &s.authenticated} {
		for e := waits.Front(); e != nil; e = e.Next() {
			c, _ := e.Value.(*conn)
			all = append(all, c)
		}
	}
	s.mu.Unlock()
	for _, c := range all {
		_ = c.end() // nothing was promised to it
	}
}

// close ends the connections that linger, too, and waits for that. No more do.
func (s *connTable) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.endWaiting()
	s.work.Wait()
}

// lingering has the end of a connection awaited in the background. It reports false
// when the server ends.
func (s *connTable) lingering(wait func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Go(wait)
	return true
}

// authenticate takes note of a request with the token. The connection waits until the request
// is complete.
func (c *conn) authenticate() {
	if c == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.unlist()
	c.authenticated = true
	c.place = c.table.authenticated.PushBack(c)
}

// requestComplete takes a connection from those that wait: its request is complete.
func (c *conn) requestComplete() {
	if c == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.unlist()
}

// requestAnswered puts it back.
func (c *conn) requestAnswered() {
	if c == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.unlist()
	c.place = c.table.authenticated.PushBack(c)
}

// forget takes one away that has ended.
func (s *connTable) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.unlist()
}

// unlist takes it from those that wait; the lock is held.
func (c *conn) unlist() {
	if c.place == nil {
		return
	}
	of := &c.table.unauthenticated
	if c.authenticated {
		of = &c.table.authenticated
	}
	of.Remove(c.place)
	c.place = nil
}
