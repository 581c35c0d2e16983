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

	mu       sync.Mutex
	over     bool
	watched  bool // a stream waits for news
	calls    map[wire.Key]openCall
	pending  pendingRequests
	lastUsed time.Time
}

// openCall is a request that is not answered.
type openCall struct {
	cancel context.CancelCauseFunc
	gone   <-chan struct{} // closed when the client has dropped its connection
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
		calls: make(map[wire.Key]openCall), lastUsed: time.Now(),
	}
}

// end ends the session: its calls, its streams, and what it was asked.
func (s *session) end() {
	s.mu.Lock()
	calls, over := s.calls, s.over
	s.calls, s.over = nil, true
	s.mu.Unlock()
	if over {
		return
	}
	close(s.done)
	for _, call := range calls {
		call.cancel(nil)
	}
	s.settle(nil)
}

// idleFor is how long nobody has used the session. A call whose client has gone does
// not count: its server may never answer.
func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched {
		return 0
	}
	for _, call := range s.calls {
		select {
		case <-call.gone:
		default:
			return 0
		}
	}
	return time.Since(s.lastUsed)
}

// begin registers the request with that id, which is over when finish is called; gone
// is closed when the client does not wait for the answer. It reports false when one
// with the same id is open, or the session is over.
func (s *session) begin(id wire.Key, gone <-chan struct{}) (ctx context.Context, finish func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.calls[id]; open || s.over {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.calls[id] = openCall{cancel, gone}
	return ctx, func() {
		s.mu.Lock()
		delete(s.calls, id)
		s.lastUsed = time.Now()
		s.mu.Unlock()
		cancel(nil)
	}, true
}

// cancel carries a notifications/cancelled to the call it is about.
func (s *session) cancel(note *wire.Message) {
	s.mu.Lock()
	call, open := s.calls[wire.KeyOf(note.Param("requestId").Of(note.Line))]
	s.mu.Unlock()
	if open {
		call.cancel(&router.CancelledError{Note: note})
	}
}
