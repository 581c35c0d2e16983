package sessions

import (
	"sync"
	"time"

	"mcp-aggregator/modules/servers"
)

// State is how one server stands at one moment. It is immutable.
type State struct {
	Status servers.Status
	Reason string       // why it is Errored, or Disconnected though it is wanted
	Live   *LiveSession // the session; nil unless Status is live
	// Next is when the next attempt to connect begins; zero, or past, if one is under way
	// or none will be made.
	Next time.Time
	// Replaced is closed when this is not the state any more.
	Replaced <-chan struct{}

	tools    int // listed
	replaced chan struct{}
	drained  bool // Disconnected, and nothing is left of the session
	pending  int  // calls that were cut off then
}

func newState(status servers.Status, reason string) *State {
	over := make(chan struct{})
	return &State{Status: status, Reason: reason, Replaced: over, replaced: over}
}

// LiveSession is a session in use.
type LiveSession struct {
	Session

	// ServerRequests is the one that the session's requests and notifications go to.
	ServerRequests ServerRequests

	mu      sync.Mutex
	pending int
	closing bool
	idle    chan struct{} // closed when closing and nothing is open
}

func newLiveSession(s Session, p ServerRequests) *LiveSession {
	return &LiveSession{Session: s, ServerRequests: p, idle: make(chan struct{})}
}

// BeginCall registers a call, which End ends. It reports false when the session takes
// no calls any more.
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

// stopAccepting has BeginCall refuse from now on; it returns what is closed when the last call
// has ended.
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
