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

// session is one session with one server over HTTP. The SDK's client initializes it,
// keeps the server's own stream open and deletes the session. Calls bypass the SDK.
type session struct {
	endpoint   string
	sse        bool
	options    Options
	log        *slog.Logger
	redactor   *redact.Redactor
	peer       sessions.Peer
	budget     *readBudget
	pending    pendingRequests
	address    atomic.Pointer[address] // nil until the SDK has sent something
	changes    mcpclient.Changes       // of the server's tool list
	transport  *http.Transport
	httpClient *http.Client         // the SDK's, over an interceptor
	warnings   rate.Sometimes       // of warnings about its messages
	info       mcpclient.ServerInfo // set before Dial returns

	*workers

	stop context.CancelFunc // ends the tasks of the workers, and the SDK's session

	mu         sync.Mutex         // guards what follows
	sdkSession *mcp.ClientSession // nil until the session is initialized
	ended      bool
	cause      error         // why it ended by itself
	firstError error         // the first error of HTTP while it was dialed
	done       chan struct{} // closed when it has ended
	tornDown   chan struct{} // closed when nothing is left
}

func newSession(d *httpDialer, target sessions.Target, peer sessions.Peer, stop context.CancelFunc) (*session, error) {
	endpoint, err := parseEndpoint(target.Server.Connection.URL)
	if err != nil {
		return nil, err
	}
	s := &session{
		endpoint: endpoint.String(), sse: d.sse, options: d.options, budget: d.budget,
		log:      d.log.With(slog.String("server", target.Server.Name)),
		redactor: redact.New(target.Secrets), peer: peer, pending: newPendingRequests(),
		changes: mcpclient.NewChanges(), transport: newTransport(),
		warnings: rate.Sometimes{First: 5, Interval: time.Minute},
		workers:  newWorkers(), stop: stop,
		done: make(chan struct{}), tornDown: make(chan struct{}),
	}
	headers, err := headersOf(target.Server.Connection.Headers)
	if err != nil {
		return nil, errors.New(s.printable(err.Error()))
	}
	s.httpClient = &http.Client{
		Transport:     &interceptor{session: s, endpoint: endpoint, headers: headers},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// Info implements [sessions.Introduced].
func (s *session) Info() mcpclient.ServerInfo { return s.info }

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
	s.endSession(nil)
	select {
	case <-s.tornDown:
	case <-time.After(s.options.CloseAfter):
		s.transport.CloseIdleConnections()
	}
}

// refuseCalls refuses further calls. Calls that the server has accepted may still be
// answered.
func (s *session) refuseCalls(cause error) (text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.ended, s.cause = true, cause
		s.pending.Refuse(newError(endText(cause), true))
		close(s.done)
	}
	return endText(s.cause)
}

func endText(cause error) string {
	if cause == nil {
		return "the session was closed"
	}
	return cause.Error()
}

// endForgotten ends a session that the server does not know any more. Calls that it
// accepted before have streams of their own, and may be answered until Close.
func (s *session) endForgotten() { s.refuseCalls(errors.New(forgottenText)) }

const forgottenText = "the server has lost the session"

// endBecause ends the session for a reason of the server's.
func (s *session) endBecause(why string) { s.endSession(errors.New(s.printable(why))) }

// endSession ends the session, for the cause unless it is nil. It does not wait.
func (s *session) endSession(cause error) {
	text := s.refuseCalls(cause)
	if s.stopAccepting() {
		s.pending.failAll(text)
		s.stop()
		go s.tearDown() // Close waits for it
	}
}

// tearDown deletes the session at the server and waits for the workers.
func (s *session) tearDown() {
	if sdk := s.currentSDKSession(); sdk != nil {
		_ = sdk.Close() // an error changes nothing
	}
	s.work.Wait()
	s.transport.CloseIdleConnections()
	close(s.tornDown)
}

// currentSDKSession returns the SDK's session.
func (s *session) currentSDKSession() *mcp.ClientSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sdkSession
}

// isEnded reports whether the session has ended.
func (s *session) isEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// hasFailed reports whether the session has ended by itself.
func (s *session) hasFailed() bool { return s.Err() != nil }

// printable returns a text of the server's without secrets and control characters. All
// that messages quote of a server passes through it.
func (s *session) printable(text string) string {
	return redact.Printable(s.redactor.Excerpt([]byte(text)), printableSize)
}

const printableSize = 300 // characters
