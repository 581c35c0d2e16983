package service

import (
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
)

// drainTime is how long requests under way may take when the service stops.
const drainTime = 30 * time.Second

// listen binds the address: before anything is started, so that a wrong one starts
// nothing.
func listen(o Options) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return nil, &configError{fmt.Errorf("--listen %s: write it as HOST:PORT, such as 127.0.0.1:8080", o.Listen)}
	}
	if o.Token == "" && !rest.IsLoopback(o.Listen) {
		return nil, &configError{fmt.Errorf("--listen %s: others than this machine could use every registered server: "+
			"set a token with --token or MCP_AGGREGATOR_TOKEN, or listen at 127.0.0.1", o.Listen)}
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", o.Listen)
	if err != nil {
		return nil, &configError{fmt.Errorf("--listen %s: %w; choose another address", o.Listen, cause(err))}
	}
	return listener, nil
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
	listener net.Listener
	http     *http.Server
	gateway  *gateway.Gateway
	failed   chan error // receives why it ended by itself
	work     sync.WaitGroup
}

func newServer(o Options, listener net.Listener, api *rest.API, g *gateway.Gateway, log *slog.Logger) *server {
	mux := http.NewServeMux()
	mux.Handle("/mcp", rest.RequireToken(o.Token, g))
	mux.Handle("/", api)
	return &server{
		listener: listener, gateway: g, failed: make(chan error, 1),
		http: &http.Server{
			Handler:           rest.Guard(o.Listen, mux),
			ReadHeaderTimeout: 10 * time.Second,
			ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
	}
}

func (s *server) start(context.Context) error {
	s.work.Go(func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	})
	return nil
}

// stop takes no further requests, and waits for those under way, for a while.
func (s *server) stop(ctx context.Context) error {
	s.gateway.Hush()
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		_ = s.http.Close() // their time is up
	}
	s.work.Wait()
	return nil
}
