package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"mcp-aggregator/modules/gateway"
	"mcp-aggregator/modules/rest"
	"mcp-aggregator/modules/router"
)

// drainTimeout bounds requests under way when the service stops.
const drainTimeout = 30 * time.Second

// listener is the listener of the service. It starts first, so that no database is opened
// if the address cannot be used.
type listener struct {
	net.Listener

	address string
}

// newListener checks the address of o.
func newListener(o Options) (*listener, error) {
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return nil, &configError{fmt.Errorf("--listen %s: write it as HOST:PORT, such as 127.0.0.1:8080", o.Listen)}
	}
	if o.Token == "" && !rest.IsLoopback(o.Listen) {
		return nil, &configError{fmt.Errorf("--listen %s: others than this machine could use every registered server: "+
			"set a token with --token or MCP_AGGREGATOR_TOKEN, or listen at 127.0.0.1", o.Listen)}
	}
	return &listener{address: o.Listen}, nil
}

func (l *listener) start(ctx context.Context) error {
	bound, err := new(net.ListenConfig).Listen(ctx, "tcp", l.address)
	if err != nil {
		return &configError{fmt.Errorf("--listen %s: %w; choose another address", l.address, cause(err))}
	}
	l.Listener = bound
	return nil
}

func (l *listener) stop(context.Context) error {
	_ = l.Close() // a server that was started has closed it already
	return nil
}

// cause returns err without the address, with which the message begins already.
func cause(err error) error {
	if failure, ok := errors.AsType[*net.OpError](err); ok {
		return failure.Err
	}
	return err
}

// configError is a mistake in the flags or the environment of the program.
type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

// server is the HTTP server of the service.
type server struct {
	listener *listener
	http     *http.Server
	gateway  *gateway.Gateway
	calls    *router.RequestRouter
	limits   limits
	open     *connTable
	failed   chan error // receives the error if serving fails
	work     sync.WaitGroup
}

func newServer(
	o Options, l *listener, api *rest.API, g *gateway.Gateway, calls *router.RequestRouter, log *slog.Logger,
) *server {
	mux := http.NewServeMux()
	mux.Handle(gateway.Path, rest.RequireToken(o.Token, g))
	mux.Handle(gateway.Path+"/", rest.RequireToken(o.Token, g))
	mux.Handle("/", api)
	bounds := cmp.Or(o.limits, defaultLimits(descriptors()))
	return &server{
		listener: l, gateway: g, calls: calls, limits: bounds, open: newConnTable(bounds), failed: make(chan error, 1),
		http: newHTTPServer(bounds, rest.HasToken(o.Token), rest.Guard(o.Listen, mux), log),
	}
}

func newHTTPServer(l limits, passes func(*http.Request) bool, handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           &requestLimiter{limits: l, budget: newBudget(l.Bodies), passes: passes, next: handler},
		ReadHeaderTimeout: l.Headers,
		IdleTimeout:       l.Idle,
		ConnContext:       connContext,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

func (s *server) start(context.Context) error {
	s.work.Go(func() {
		if err := s.http.Serve(s.open.bound(s.listener)); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return nil
}

// stop accepts no further requests and waits for those under way. Calls that do not end
// in time are ended and answered.
func (s *server) stop(ctx context.Context) error {
	s.gateway.CloseStreams()
	timer := time.AfterFunc(s.limits.Leave, s.open.endWaiting)
	defer timer.Stop()
	if s.shutdown(ctx, s.limits.Drain) != nil {
		s.calls.EndCalls()
		_ = s.shutdown(ctx, s.limits.Reply)
	}
	_ = s.http.Close() // closes what has not ended by now
	s.open.close()
	s.work.Wait()
	return nil
}

func (s *server) shutdown(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return s.http.Shutdown(ctx)
}

// endSoon ends the calls under way at once, and soon after that the connections.
func (s *server) endSoon() {
	s.calls.EndCalls()
	time.AfterFunc(s.limits.Reply, func() { _ = s.http.Close() })
}

// limits bound what the HTTP server holds for clients and how long it waits for them.
type limits struct {
	Headers time.Duration // to read the headers of a request
	Idle    time.Duration // between the requests of a connection

	// A body may take Grace, and a second more for each Pace bytes.
	Grace time.Duration
	Pace  int64
	// Bodies is how many bytes of request bodies may be held together. The first Free
	// bytes of each do not count, so that small requests never wait.
	Bodies, Free int64
	Room         time.Duration // that a body waits for its share of Bodies

	Write time.Duration // for each 64 KiB of a response
	// How long a connection is still read after the response, for clients with and
	// without the token: a client that is writing when the connection closes would not
	// see the response.
	Linger, LingerRefused time.Duration

	Waiting int // connections without a request that has the token

	Drain time.Duration // that requests under way may take when the service stops
	Reply time.Duration // for the responses to calls that are ended then
	Leave time.Duration // for requests then that are incomplete or have no token
}

// defaultLimits returns the limits of a process that may open that many descriptors.
// Half of them are left for sessions and the store.
func defaultLimits(descriptors int) limits {
	const most = 4096
	return limits{
		Headers: 10 * time.Second, Idle: 2 * time.Minute,
		Grace: 30 * time.Second, Pace: 4 << 10,
		Bodies: 512 << 20, Free: 64 << 10, Room: 5 * time.Second,
		Write: 30 * time.Second, Linger: 5 * time.Second, LingerRefused: 500 * time.Millisecond,
		Waiting: max(min(most, descriptors/2), 1),
		Drain:   drainTimeout, Reply: 2 * time.Second, Leave: time.Second,
	}
}
