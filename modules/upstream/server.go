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

// AggregatorServer serves one client on one pair of streams.
type AggregatorServer struct {
	stdio    Stdio
	out      *Output
	tools    *registry.ToolRegistry
	servers  Servers
	caller   Caller
	flusher  Flusher
	requests *ServerRequests
	log      *slog.Logger
	options  Options

	leanTools    LeanTools // nil: the list has every tool
	lastLeanView atomic.Pointer[leanView]
	searches     searches

	session      *wire.Session
	scanner      wire.Scanner // used by the reading goroutine only
	current      wire.Message // likewise: the message being handled
	initializing atomic.Pointer[pendingInitialize]
	version      string           // of the protocol; empty before initialize; likewise
	naming       *registry.Naming // of the client; used by the reading goroutine and those it starts
	ready        chan struct{}    // closed when the client takes notifications
	readyOnce    sync.Once

	inFlight    inFlightCounter // open requests of the client
	parkedCount inFlightCounter // those of them that wait for children to settle
	parkedCalls parkedCalls
	listGate    listGate
	clientList  clientList

	stop    chan struct{}
	stopped sync.Once
	done    chan struct{} // closed when the session is over
	err     atomic.Pointer[error]
	reader  sync.WaitGroup
	work    sync.WaitGroup // all goroutines but the reading one
}

// NewAggregatorServer returns a server for the client on stdio. Start begins to serve.
func NewAggregatorServer(
	stdio Stdio, requests *ServerRequests, deps Deps, tools *registry.ToolRegistry, log *slog.Logger, options Options,
) *AggregatorServer {
	s := &AggregatorServer{
		stdio: stdio, out: requests.out, requests: requests, tools: tools, servers: deps.Servers, caller: deps.Caller, flusher: deps.Flusher,
		log: log, options: options.withDefaults(), leanTools: deps.Lean,
		ready: make(chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	s.session = wire.NewSession(s.writeSessionMessage)
	s.naming = s.options.Separator.NamingFor("")
	s.listGate.open = make(chan struct{})
	s.clientList.firstRead = make(chan struct{})
	s.clientList.versionOf = s.listVersion
	s.searches.open = make(map[*clientRequest]context.CancelFunc)
	return s
}

// Start begins to serve. It does not block.
func (s *AggregatorServer) Start(context.Context) error {
	if err := s.connectSession(context.Background()); err != nil { //nolint:contextcheck // Fx's context ends when Start returns; the session does not
		return err
	}
	s.stdio.In = pollableInput(s.stdio.In)
	ended := make(chan struct{})
	s.reader.Go(func() { //nolint:contextcheck // Fx's context ends when Start returns; the requests do not
		defer close(ended)
		s.readLoop()
	})
	s.work.Go(s.announceChanges)
	s.work.Go(func() { s.out.flushRequested(s.stop) })
	s.work.Go(func() { s.endSession(ended) })
	return nil
}

// Done returns a channel that is closed when the session is over: the client has closed
// its end and its requests are answered, or it cannot be written to or read.
func (s *AggregatorServer) Done() <-chan struct{} { return s.done }

// Err returns why the session ended; nil if the client ended it.
func (s *AggregatorServer) Err() error {
	if err := s.err.Load(); err != nil {
		return *err
	}
	return nil
}

const (
	// readerStopTimeout bounds the wait of Stop for a read that closing does not end,
	// such as that of a terminal.
	readerStopTimeout = 100 * time.Millisecond
	// writerStopTimeout bounds the wait of Stop for a client that does not read.
	writerStopTimeout = 250 * time.Millisecond
	// finalFlushTimeout bounds the wait for the last responses to a client that has
	// closed its end.
	finalFlushTimeout = time.Second
)

// Stop stops reading and announcing changes. Responses of children that arrive while
// these stop are still forwarded.
func (s *AggregatorServer) Stop(context.Context) error {
	s.stopped.Do(func() { close(s.stop) })
	s.searches.close()
	_ = s.session.Close()  // never fails
	_ = s.stdio.In.Close() // nothing is read any more
	waitAtMost(readerStopTimeout, s.reader.Wait)
	waitAtMost(writerStopTimeout, func() {
		s.work.Wait()
		s.out.Flush()
	})
	return nil
}

// waitAtMost calls wait and returns when that does, or after bound.
func waitAtMost(bound time.Duration, wait func()) {
	done := make(chan struct{})
	go func() { // outlives waitAtMost if the bound is reached
		wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(bound):
	}
}
