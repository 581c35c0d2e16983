package service

import (
	"container/list"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// connTable holds the waiting connections of an HTTP server, which have no request with
// the token. Their number is bounded: one too many closes another, the oldest of those
// that never had such a request, or else the oldest of all.
type connTable struct {
	limits limits

	mu              sync.Mutex
	unauthenticated list.List // of *conn, oldest first
	authenticated   list.List // likewise; they had a request with the token
	closed          bool
	work            sync.WaitGroup // of connections that linger
}

func newConnTable(l limits) *connTable { return &connTable{limits: l} }

// bound returns the listener with a bounded number of waiting connections.
func (s *connTable) bound(l net.Listener) net.Listener { return &boundedListener{l, s} }

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
		time.Sleep(time.Millisecond) // closing frees the descriptor a little later
	}
}

// exhausted reports whether err says that no descriptor is left.
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

// evict closes the connection that has waited for longest. It reports false if none waits.
func (s *connTable) evict() bool {
	s.mu.Lock()
	oldest := s.unauthenticated.Front()
	if s.unauthenticated.Len() < 2 && s.authenticated.Len() > 0 { // the newest may be about to send its request
		oldest = s.authenticated.Front()
	}
	s.mu.Unlock()
	if oldest == nil {
		return false
	}
	c, _ := oldest.Value.(*conn)
	_ = c.closeNow() // it has no request
	return true
}

// endWaiting closes all waiting connections.
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
		_ = c.closeNow() // it has no request
	}
}

// close closes the waiting connections, waits for those that linger, and lets no other
// linger.
func (s *connTable) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.endWaiting()
	s.work.Wait()
}

// lingering runs wait in the background. It reports false if the table is closed.
func (s *connTable) lingering(wait func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Go(wait)
	return true
}

// authenticate records a request with the token. The connection waits until the request is
// complete.
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

// requestComplete removes the connection from those that wait: its request is complete.
func (c *conn) requestComplete() {
	if c == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.unlist()
}

// requestAnswered adds the connection to those that wait.
func (c *conn) requestAnswered() {
	if c == nil {
		return
	}
	c.table.mu.Lock()
	defer c.table.mu.Unlock()
	c.unlist()
	c.place = c.table.authenticated.PushBack(c)
}

// forget removes a connection that has closed.
func (s *connTable) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.unlist()
}

// unlist removes the connection from those that wait; table.mu is held.
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
