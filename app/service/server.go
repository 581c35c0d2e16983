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

// drainTime is how long requests under way may take when the service stops.
const drainTime = 30 * time.Second

// listener is where the service listens: from its start on, which comes before that of
// everything else, so that an address that cannot be had opens no database.
type listener struct {
	net.Listener

	address string
}

// newListener checks the address.
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
	_ = l.Close() // the server that was started has closed it
	return nil
}

// cause leaves out the address, which the message begins with.
func cause(err error) error {
	if failure, ok := errors.AsType[*net.OpError](err); ok {
		return failure.Err
	}
	return err
}

// configError is a mistake in how the program was started.
type configError struct{ error }

func (e *configError) Unwrap() error { return e.error }

// server is the HTTP server.
type server struct {
	listener *listener
	http     *http.Server
	gateway  *gateway.Gateway
	calls    *router.RequestRouter
	limits   limits
	open     *connTable
	failed   chan error // receives why it ended by itself
	work     sync.WaitGroup
}

func newServer(
	o Options, l *listener, api *rest.API, g *gateway.Gateway, calls *router.RequestRouter, log *slog.Logger,
) *server {
	mux := http.NewServeMux()
	mux.Handle("/mcp", rest.RequireToken(o.Token, g))
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
		if err := s.http.Serve(s.open.over(s.listener)); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return nil
}

// stop takes no further requests, and waits for those under way, for a while. Then the
// calls among them end, and are answered.
func (s *server) stop(ctx context.Context) error {
	s.gateway.CloseStreams()
	impatient := time.AfterFunc(s.limits.Leave, s.open.endWaiting)
	defer impatient.Stop()
	if s.shut(ctx, s.limits.Drain) != nil {
		s.calls.EndCalls()
		_ = s.shut(ctx, s.limits.Reply)
	}
	_ = s.http.Close() // their time is up
	s.open.close()
	s.work.Wait()
	return nil
}

func (s *server) shut(ctx context.Context, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.http.Shutdown(ctx)
}

// endSoon ends the calls under way at once, and has the connections follow soon.
func (s *server) endSoon() {
	s.calls.EndCalls()
	time.AfterFunc(s.limits.Reply, func() { _ = s.http.Close() })
}

// limits bound what the HTTP server holds for clients, and how long it waits for them.
type limits struct {
	Headers time.Duration // until the headers of a request are there
	Idle    time.Duration // between the requests of a connection

	// A body is there within the grace, and a second more for each pace of bytes.
	Grace time.Duration
	Pace  int64
	// bodies is how many bytes of bodies may be held together; the first free ones of
	// each do not count, so that small requests never wait.
	Bodies, Free int64
	Room         time.Duration // that a body waits for others to make room

	Write time.Duration // for each 64 KiB of an answer
	// What is still sent after the answer is read so long, or the client, who is
	// writing when the connection ends, would not see the answer: of one with the
	// token, and of others.
	Linger, LingerRefused time.Duration

	Waiting int // connections without a request that has the token

	Drain time.Duration // that requests under way may take when the service stops
	Reply time.Duration // for the answers to those which it ends then
	Leave time.Duration // for requests that are not complete, or have no token, then
}

// defaultLimits are those of a process that may have that many descriptors open: half
// of them are for what the service does.
func defaultLimits(descriptors int) limits {
	const most = 4096
	return limits{
		Headers: 10 * time.Second, Idle: 2 * time.Minute,
		Grace: 30 * time.Second, Pace: 4 << 10,
		Bodies: 512 << 20, Free: 64 << 10, Room: 5 * time.Second,
		Write: 30 * time.Second, Linger: 5 * time.Second, LingerRefused: 500 * time.Millisecond,
		Waiting: max(min(most, descriptors/2), 1),
		Drain:   drainTime, Reply: 2 * time.Second, Leave: time.Second,
	}
}
