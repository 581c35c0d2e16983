package upstream

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/wire"
)

// AggregatorServer serves one client on one stream pair.
type AggregatorServer struct {
	in       Stdio
	out      *Output
	tools    *registry.ToolRegistry
	servers  Servers
	caller   Caller
	flusher  Flusher
	requests *ServerRequests
	log      *slog.Logger
	options  Options

	session  *wire.Session
	scanner  wire.Scanner // of the reading goroutine
	line     wire.Message // likewise: what it is handling
	greeting atomic.Pointer[pendingInitialize]
	version  string           // of the protocol, of the reading goroutine; empty before initialize
	naming   *registry.Naming // of tools towards the client, of the reading goroutine and those it starts
	ready    chan struct{}    // closed when the client takes notifications
	isReady  sync.Once

	open        counter // requests not yet answered
	parked      counter // those of them that wait for children to settle
	parkedCalls parkedCalls
	gate        gate
	clientList  clientList

	stop    chan struct{}
	stopped sync.Once
	done    chan struct{} // closed when the session is over
	err     atomic.Pointer[error]
	reader  sync.WaitGroup
	work    sync.WaitGroup // all goroutines but the reader
}

// NewAggregatorServer returns the server; Start begins to serve.
func NewAggregatorServer(
	stdio Stdio, requests *ServerRequests, deps Deps, tools *registry.ToolRegistry, log *slog.Logger, options Options,
) *AggregatorServer {
	s := &AggregatorServer{
		in: stdio, out: requests.out, requests: requests, tools: tools, servers: deps.Servers, caller: deps.Caller, flusher: deps.Flusher,
		log: log, options: options.withDefaults(),
		ready: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	s.session = wire.NewSession(s.sendSession)
	s.naming = s.options.Separator.NamingFor("")
	s.gate.open = make(chan struct{})
	s.clientList.fresh = make(chan struct{})
	return s
}

// Start begins to serve; it waits for nothing.
func (s *AggregatorServer) Start(context.Context) error {
	if err := s.connect(context.Background()); err != nil { //nolint:contextcheck // Fx's context ends when Start returns; the session does not
		return err
	}
	s.in.In = polled(s.in.In)
	ended := make(chan struct{})
	s.reader.Go(func() {
		defer close(ended)
		s.read()
	})
	s.work.Go(s.announce)
	s.work.Go(func() { s.out.flushDue(s.stop) })
	s.work.Go(func() { s.serve(ended) })
	return nil
}

// Done is closed when the session is over: the client has closed its end and
// has been answered, or takes no more answers, or cannot be read.
func (s *AggregatorServer) Done() <-chan struct{} { return s.done }

// Err is why the session ended: nil when the client ended it.
func (s *AggregatorServer) Err() error {
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Bounds of waits: of Stop for a read that closing does not end, as that of a
// terminal, and for answers to a client that takes none; and for the last answers to
// a client that has closed its end.
const (
	readerJoin  = 100 * time.Millisecond
	writerJoin  = 250 * time.Millisecond
	lastAnswers = time.Second
)

// Stop stops reading and announcing. Answers of children that are still to
// come are passed on while they end.
func (s *AggregatorServer) Stop(context.Context) error {
	s.stopped.Do(func() { close(s.stop) })
	_ = s.session.Close() // never fails
	_ = s.in.In.Close()   // nothing is read any more
	within(readerJoin, s.reader.Wait)
	within(writerJoin, func() {
		s.work.Wait()
		s.out.Flush()
	})
	return nil
}

// within waits for wait to return, but no longer than bound.
func within(bound time.Duration, wait func()) {
	done := make(chan struct{})
	go func() { // outlives within when the bound is reached
		wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(bound):
	}
}
