package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/sessions"
)

// session is one session with one server over HTTP. The SDK's client leads it: it
// introduces us, keeps the streams and resumes them; tap takes what is for us out of
// them.
type session struct {
	endpoint string
	sse      bool
	options  Options
	log      *slog.Logger
	redactor *redact.Redactor
	peer     sessions.Peer
	calls    calls
	changed  chan struct{} // the server says that its tool list has changed
	base     *http.Transport
	client   *http.Client // over tap
	tap      *tap
	noise    rate.Sometimes // of warnings about what it says

	life   func() context.Context // ends when nothing of the session is needed any more
	stop   context.CancelFunc     // ends it
	open   func() context.Context // within life: ends with the session
	hangUp context.CancelFunc     // ends it

	mu    sync.Mutex         // guards what follows, and that no work is begun after the end
	mcp   *mcp.ClientSession // nil until the server was introduced
	over  bool
	torn  bool  // over, and its calls as well
	cause error // why it ended by itself
	first error // the first thing that went wrong with HTTP while it was dialled
	work  sync.WaitGroup
	done  chan struct{}
	gone  chan struct{} // nothing is left
}

func newSession(d *dialer, target sessions.Target, peer sessions.Peer) (*session, error) {
	redactor := redact.New(target.Secrets)
	endpoint, err := parseEndpoint(target.Server.Connection.URL)
	if err != nil {
		return nil, err
	}
	headers, err := headersOf(target.Server.Connection.Headers)
	if err != nil {
		return nil, errors.New(redactor.Redact(err.Error()))
	}
	life, stop := context.WithCancel(context.Background())
	open, hangUp := context.WithCancel(life)
	s := &session{
		endpoint: endpoint.String(), sse: d.sse, options: d.options,
		log:      d.log.With(slog.String("server", target.Server.Name)),
		redactor: redactor, peer: peer,
		changed: make(chan struct{}, 1), base: newTransport(),
		life: func() context.Context { return life }, stop: stop,
		open: func() context.Context { return open }, hangUp: hangUp,
		noise: rate.Sometimes{First: 5, Interval: time.Minute},
		done:  make(chan struct{}), gone: make(chan struct{}),
	}
	s.tap = &tap{session: s, endpoint: endpoint, headers: headers}
	s.client = &http.Client{Transport: s.tap, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return s, nil
}

// spawn begins a piece of work, unless the session has ended: then it reports false.
func (s *session) spawn(work func(ctx context.Context)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.work.Go(func() { work(s.open()) })
	}
	return !s.over
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
		s.stop()
		s.base.CloseIdleConnections()
	}
}

// end ends the session, by itself if there is a cause. It does not wait.
func (s *session) end(cause error) {
	s.mu.Lock()
	first, tear := !s.over, !s.torn
	if s.torn = true; first {
		s.over, s.cause = true, cause
	}
	cause = s.cause
	s.mu.Unlock()
	if !tear {
		return
	}
	text := "the session was closed"
	if cause != nil {
		text = cause.Error()
	}
	s.calls.end(text)
	s.hangUp()
	if first {
		close(s.done)
	}
	go s.dismantle() // Close waits for it
}

// forgotten ends a session that the server does not know any more. Calls that it has
// taken before have streams of their own, and may be answered until Close.
func (s *session) forgotten() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over, s.cause = true, errors.New(forgot)
		s.calls.refuse(forgot)
		close(s.done)
	}
}

const forgot = "the server has lost the session"

// dismantle says goodbye to the server and ends what is left.
func (s *session) dismantle() {
	if leader := s.leader(); leader != nil {
		_ = leader.Close() // a server that does not take it has gone as well
	}
	s.stop()
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

// ended reports whether end was called.
func (s *session) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// fell reports whether the session has ended by itself.
func (s *session) fell() bool { return s.Err() != nil }

// lost ends the session by itself.
func (s *session) lost(format string, facts ...any) {
	s.end(errors.New(s.shown(fmt.Sprintf(format, facts...))))
}

// shown makes a text fit for people.
func (s *session) shown(text string) string {
	return redact.Printable(s.redactor.Excerpt([]byte(text)), maxShown)
}

const maxShown = 300 // characters
