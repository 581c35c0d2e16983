package gateway

import (
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/router"
	"mcp-aggregator/modules/wire"
)

// session is the session of one client.
type session struct {
	id           string
	path         string // of its endpoint
	principal    string // who calls: the name of the client, and the host where it is
	version      string // of the protocol
	naming       *registry.Naming
	capabilities capabilities

	listVersion atomic.Uint64 // of the list that the client knows or is told of; 0 at Path
	changed     chan struct{} // signaled when the client must be sent a list_changed
	done        chan struct{} // closed by closeSession

	mu          sync.Mutex
	closed      bool
	hasListener bool // a GET stream is open
	requests    map[wire.Key]openRequest
	pending     pendingRequests
	lastUsed    time.Time
}

// openRequest is a request of the client that is not answered.
type openRequest struct {
	cancel       context.CancelCauseFunc
	disconnected <-chan struct{} // closed when the client has disconnected
}

// capabilities are those that the client has declared in initialize.
type capabilities struct{ elicitation, sampling bool }

func newSession(id, version string, initialize *wire.Message, r *http.Request) *session {
	info := initialize.Param("clientInfo").Of(initialize.Line)
	client, _ := wire.Unquote(wire.Member(info, "name").Of(info))
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return &session{
		id: id, path: r.URL.Path, principal: client + " at " + host, version: version, naming: registry.Dotted.NamingFor(client),
		capabilities: capabilities{
			elicitation: initialize.Param("capabilities", "elicitation").Present(),
			sampling:    initialize.Param("capabilities", "sampling").Present(),
		},
		changed: make(chan struct{}, 1), done: make(chan struct{}),
		requests: make(map[wire.Key]openRequest), lastUsed: time.Now(),
	}
}

// closeSession cancels the session's requests and ends its streams and the requests of
// servers.
func (s *session) closeSession() {
	s.mu.Lock()
	requests, closed := s.requests, s.closed
	s.requests, s.closed = nil, true
	s.mu.Unlock()
	if closed {
		return
	}
	close(s.done)
	for _, request := range requests {
		request.cancel(nil)
	}
	s.endPending(nil)
}

// idleFor returns how long the session has been unused. A request whose client has
// disconnected does not count as use: its server may never answer.
func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasListener {
		return 0
	}
	for _, request := range s.requests {
		select {
		case <-request.disconnected:
		default:
			return 0
		}
	}
	return time.Since(s.lastUsed)
}

// beginRequest registers a request; finish removes it. The context ends when the request
// is cancelled or the session is closed; disconnected is closed when the client has
// disconnected. It reports false if a request with the same id is open or the session is
// closed.
func (s *session) beginRequest(id wire.Key, disconnected <-chan struct{}) (ctx context.Context, finish func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, open := s.requests[id]; open || s.closed {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	s.requests[id] = openRequest{cancel, disconnected}
	return ctx, func() {
		s.mu.Lock()
		delete(s.requests, id)
		s.lastUsed = time.Now()
		s.mu.Unlock()
		cancel(nil)
	}, true
}

// cancelRequest cancels the request that a notifications/cancelled names.
func (s *session) cancelRequest(note *wire.Message) {
	s.mu.Lock()
	request, open := s.requests[wire.KeyOf(note.Param("requestId").Of(note.Line))]
	s.mu.Unlock()
	if open {
		request.cancel(&router.CancelledError{Note: note})
	}
}
