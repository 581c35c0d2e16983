package remote

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/sessions"
)

// session is one session with one server over HTTP. The SDK's client leads it: it
// introduces us, keeps the server's own stream and resumes it, and says goodbye. Calls
// are sent past it.
type session struct {
	endpoint string
	sse      bool
	options  Options
	log      *slog.Logger
	redactor *redact.Redactor
	peer     sessions.Peer
	memory   *memory
	pending  pendingRequests
	address  atomic.Pointer[address] // nil until the SDK has sent something
	changes  mcpclient.Changes       // of the server's tool list
	base     *http.Transport
	client   *http.Client   // the SDK's, over an interceptor
	noise    rate.Sometimes // of warnings about what it says

	*workers

	stop context.CancelFunc // ends what the workers do, and the SDK

	mu    sync.Mutex         // guards what follows
	mcp   *mcp.ClientSession // nil until the server was introduced
	over  bool
	cause error         // why it ended by itself
	first error         // the first thing that went wrong with HTTP while it was dialled
	done  chan struct{} // closed when it is over
	gone  chan struct{} // nothing is left
}

func newSession(d *dialer, target sessions.Target, peer sessions.Peer, stop context.CancelFunc) (*session, error) {
	endpoint, err := parseEndpoint(target.Server.Connection.URL)
	if err != nil {
		return nil, err
	}
	s := &session{
		endpoint: endpoint.String(), sse: d.sse, options: d.options, memory: d.memory,
		log:      d.log.With(slog.String("server", target.Server.Name)),
		redactor: redact.New(target.Secrets), peer: peer, pending: newPendingRequests(),
		changes: mcpclient.NewChanges(), base: newTransport(),
		noise:   rate.Sometimes{First: 5, Interval: time.Minute},
		workers: newWorkers(), stop: stop,
		done: make(chan struct{}), gone: make(chan struct{}),
	}
	headers, err := headersOf(target.Server.Connection.Headers)
	if err != nil {
		return nil, errors.New(s.shown(err.Error()))
	}
	s.client = &http.Client{
		Transport:     &interceptor{session: s, endpoint: endpoint, headers: headers},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// Done implements [sessions.Session].
func (s *session) Done() <-chan struct{} { return s.done }

// Err implements [sessions.Session].
func (s *session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cause
}

// Close implements [sessions.Session].
func (s *session) Close() {
	s.end(nil)
	select {
	case <-s.gone:
	case <-time.After(s.options.CloseAfter):
		s.base.CloseIdleConnections()
	}
}

// finish lets no further call in. Calls that the server has taken may still be answered.
func (s *session) finish(cause error) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over, s.cause = true, cause
		s.pending.Refuse(errorOfOurs(textOf(cause), true))
		close(s.done)
	}
	return textOf(s.cause)
}

func textOf(cause error) string {
	if cause == nil {
		return "the session was closed"
	}
	return cause.Error()
}

// forgotten ends a session that the server does not know any more. Calls that it has
// taken before have streams of their own, and may be answered until Close.
func (s *session) forgotten() { s.finish(errors.New(forgot)) }

const forgot = "the server has lost the session"

// lost ends the session by itself.
func (s *session) lost(why string) { s.end(errors.New(s.shown(why))) }

// end ends the session, by itself if there is a cause. It does not wait.
func (s *session) end(cause error) {
	text := s.finish(cause)
	if s.close() {
		s.pending.end(text)
		s.stop()
		go s.dismantle() // Close waits for it
	}
}

// dismantle says goodbye to the server and ends what is left.
func (s *session) dismantle() {
	if leader := s.leader(); leader != nil {
		_ = leader.Close() // a server that does not take it has gone as well
	}
	s.work.Wait()
	s.base.CloseIdleConnections()
	close(s.gone)
}

// leader is the SDK's side of the session.
func (s *session) leader() *mcp.ClientSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mcp
}

// ended reports whether the session is over.
func (s *session) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// endedByItself reports whether the session has ended by itself.
func (s *session) endedByItself() bool { return s.Err() != nil }

// shown makes a text fit for people: all that is shown of what a server says goes
// through here.
func (s *session) shown(text string) string {
	return redact.Printable(s.redactor.Excerpt([]byte(text)), maxShown)
}

const maxShown = 300 // characters
