package sessions

import (
	"sync"
	"time"

	"mcp-aggregator/modules/servers"
)

// State is the state of one server at one moment. It is immutable.
type State struct {
	Status servers.Status
	Reason string       // why it is Errored, or Disconnected though wanted
	Live   *LiveSession // the session; nil unless Status is live
	// Next is when the next attempt to connect begins. It is zero or past if one is under
	// way, or if none will be made.
	Next time.Time
	// Replaced is closed when another state replaces this one.
	Replaced <-chan struct{}

	tools    int // how many tools are listed
	replaced chan struct{}
	drained  bool // Disconnected, and the session is closed
	pending  int  // how many calls were cut off
}

func newState(status servers.Status, reason string) *State {
	over := make(chan struct{})
	return &State{Status: status, Reason: reason, Replaced: over, replaced: over}
}

// LiveSession is a session that accepts calls.
type LiveSession struct {
	Session

	// ServerRequests receives the session's requests and notifications.
	ServerRequests ServerRequests

	mu      sync.Mutex
	pending int
	closing bool
	idle    chan struct{} // closed when closing and no call is pending
}

func newLiveSession(s Session, p ServerRequests) *LiveSession {
	return &LiveSession{Session: s, ServerRequests: p, idle: make(chan struct{})}
}

// BeginCall registers a call, which EndCall ends. It returns false if the session no
// longer accepts calls.
func (l *LiveSession) BeginCall() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing {
		return false
	}
	l.pending++
	return true
}

// EndCall ends a call.
func (l *LiveSession) EndCall() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending--
	if l.closing && l.pending == 0 {
		close(l.idle)
	}
}

// stopAccepting makes BeginCall return false. It returns a channel that is closed when the
// last call has ended.
func (l *LiveSession) stopAccepting() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closing {
		l.closing = true
		if l.pending == 0 {
			close(l.idle)
		}
	}
	return l.idle
}

func (l *LiveSession) countPending() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pending
}
