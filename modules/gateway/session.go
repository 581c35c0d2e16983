package gateway

import (
	"context"
	"sync"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/wire"
)

// session is one client's.
type session struct {
	id           string
	version      string // of the protocol
	naming       *registry.Naming
	capabilities capabilities

	changed chan struct{} // the list has, and the client was not told
	done    chan struct{} // closed when the session is over

	mu          sync.Mutex
	closed      bool
	hasListener bool // a stream waits for news
	requests    map[wire.Key]openRequest
	pending     pendingRequests
	lastUsed    time.Time
}

// openRequest is a request that is not answered.
type openRequest struct {
	cancel       context.CancelCauseFunc
	disconnected <-chan struct{} // closed when the client has dropped its connection
}

// capabilities are the capabilities of a client that its initialize spoke of.
type capabilities struct{ elicitation, sampling bool }

func newSession(id, version string, initialize *wire.Message) *session {
	info := initialize.Param("clientInfo").Of(initialize.Line)
	client, _ := wire.Unquote(wire.Member(info, "name").Of(info))
	return &session{
		id: id, version: version, naming: registry.Dotted.NamingFor(client),
		capabilities: capabilities{
			elicitation: initialize.Param("capabilities", "elicitation").Present(),
			sampling:    initialize.Param("capabilities", "sampling").Present(),
		},
		changed: make(chan struct{}, 1), done: make(chan struct{}),
		requests: make(map[wire.Key]openRequest), lastUsed: time.Now(),
	}
}

// closeSession ends the session: its calls, its streams, and what it was asked.
func (s *session) closeSession() {
	s.mu.Lock()
	calls, over := s.requests, s.closed
	s.requests, s.closed = nil, true
	s.mu.Unlock()
	if over {
		return
	}
	close(s.done)
	for _, call := range calls {
		call.cancel(nil)
	}
	s.endPending(nil)
}

// idleFor is how long nobody has used the session. A call whose client has gone does
// not count: its server may never answer.
func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasListener {
		return 0
	}
	for _, call := range s.requests {
		select {
		case <-call.disconnected:
		default:
			return 0
		}
	}
	return time.Since(s.lastUsed)
}

// beginRequest registers the request with that id, which is over when finish is called; gone
// is closed when the client does not wait for the answer. It reports false when one
// with the same id is open, or the session is over.
func (s *session) beginRequest(id wire.Key, gone <-chan struct{}) (ctx context.Context, finish func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.requests[id]; open || s.closed {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.requests[id] = openRequest{cancel, gone}
	return ctx, func() {
		s.mu.Lock()
		delete(s.requests, id)
		s.lastUsed = time.Now()
		s.mu.Unlock()
		cancel(nil)
	}, true
}

// cancelRequest carries a notifications/cancelled to the call it is about.
func (s *session) cancelRequest(note *wire.Message) {
	s.mu.Lock()
	call, open := s.requests[wire.KeyOf(note.Param("requestId").Of(note.Line))]
	s.mu.Unlock()
	if open {
		call.cancel(&router.CancelledError{Note: note})
	}
}
