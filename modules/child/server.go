// Package child runs MCP servers as child processes: it spawns them, initializes
// their sessions, reads their tools, carries calls to them and responses back, and stops
// them. A Server is one process with its session; a Manager runs the servers of an
// mcpServers file.
//
// One goroutine owns one child (Server.Start starts it, Stop joins it) and alone
// moves it from initializing to running, failed or stopped; everyone else
// reads its Status.
package child

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/redact"
	"mcp-aggregator/modules/wire"
)

// Options are the bounds of a Server or a Manager. The zero value means the defaults.
type Options struct {
	WarnAfter        time.Duration // a child not ready after this is warned about; default 15 s
	HandshakeTimeout time.Duration // a child not ready after this has failed; default 60 s
	Grace            time.Duration // wait after closing stdin, and again after SIGTERM; default 2 s
	StopBudget       time.Duration // upper bound of Stop; default 8 s
	MaxMessage       int           // bytes of one message; default wire.DefaultMaxLine
	MaxQueue         int           // bytes queued for a child that does not read; default 64 MiB
	Quiet            bool          // transitions are not logged: the caller reports the Status
}

func (o Options) withDefaults() Options {
	return Options{
		WarnAfter:        cmp.Or(o.WarnAfter, 15*time.Second),
		HandshakeTimeout: cmp.Or(o.HandshakeTimeout, 60*time.Second),
		Grace:            cmp.Or(o.Grace, 2*time.Second),
		StopBudget:       cmp.Or(o.StopBudget, 8*time.Second),
		MaxMessage:       cmp.Or(o.MaxMessage, wire.DefaultMaxLine),
		MaxQueue:         cmp.Or(o.MaxQueue, 64<<20),
		Quiet:            o.Quiet,
	}
}

// Server is one child process with its session. Its run method is the goroutine that
// owns it.
type Server struct {
	config   config.ServerConfig
	spawner  Spawner
	options  Options
	log      *slog.Logger
	client   Client
	tools    Tools
	redactor *redact.Redactor
	pending  pendingNotifications

	cancel     context.CancelFunc    // of run; nil until Start
	initialize chan InitializeParams // receives them once
	once       sync.Once             // of initialize
	status     atomic.Pointer[Status]
	settled    chan struct{} // closed when the child has left Initializing
	gone       chan struct{} // closed when nothing of the process is left
	joined     chan struct{} // closed when run has returned
	connection atomic.Pointer[connection]
	control    atomic.Pointer[Control] // for Kill
	killed     atomic.Bool
}

// New returns the server of that configuration; Start spawns it.
func New(server config.ServerConfig, spawner Spawner, client Client, tools Tools, log *slog.Logger, options Options) *Server {
	s := &Server{
		config: server, spawner: spawner, options: options.withDefaults(), client: client, tools: tools,
		log:        log.With(slog.String("server", redact.Printable(server.Key, tailLineSize))),
		redactor:   redact.New(SecretsOf(server)),
		initialize: make(chan InitializeParams, 1),
		settled:    make(chan struct{}),
		gone:       make(chan struct{}),
		joined:     make(chan struct{}),
	}
	s.status.Store(&Status{Key: server.Key, State: Initializing})
	return s
}

// Start spawns the child and does not wait for it. It is called once.
func (s *Server) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() { // Stop joins it
		defer close(s.joined)
		s.run(ctx)
	}()
}

// Initialize begins the handshake, on behalf of a client that said these params. Only
// the first call counts.
func (s *Server) Initialize(params InitializeParams) {
	s.once.Do(func() { s.initialize <- params }) // has room for the only one
}

// Status returns the newest status.
func (s *Server) Status() Status { return *s.status.Load() }

// Settled returns a channel that is closed once the child has left Initializing.
func (s *Server) Settled() <-chan struct{} { return s.settled }

// Call sends the request m to the child, naming the tool by the raw JSON name. Exactly one
// of r's methods is called, unless the child never answers and never ends.
func (s *Server) Call(request *wire.Message, name []byte, r Replier) {
	if c := s.connection.Load(); c != nil {
		c.call(request, name, r)
		return
	}
	r.Fail(notRunning(s.config.Key))
}

func notRunning(key string) *wire.Error {
	return &wire.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("Server '%s' is not running", key), Unsent: true}
}

// Cancel carries the client's notifications/cancelled to the child for the first pending
// call whose Replier matches. It reports whether there is one.
func (s *Server) Cancel(notification *wire.Message, match func(Replier) bool) bool {
	c := s.connection.Load()
	return c != nil && c.cancelCall(notification, match)
}

// Notify carries a notification of the client to the child, once the child is initialized.
func (s *Server) Notify(notification *wire.Message) {
	if !s.status.Load().ended() {
		s.pending.send(notification.Line)
	}
}

// Flush has the child receive the calls so far. It does not block.
func (s *Server) Flush() {
	if c := s.connection.Load(); c != nil {
		c.out.flush()
	}
}

// Stop ends the child and waits until nothing is left of it, for Options.StopBudget at
// most. A client that takes no more responses is not waited for.
func (s *Server) Stop() error { return stopAll([]*Server{s}, s.options.StopBudget) }

// Kill ends the process group at once, which is not a failure. It may be called from any
// goroutine after Start, also during Stop.
func (s *Server) Kill() {
	if s.cancel != nil {
		s.cancel()
	}
	s.killed.Store(true)
	if control := s.control.Load(); control != nil {
		(*control).Kill()
	}
}

// stopAll stops the servers that have been started, all at the same time.
func stopAll(servers []*Server, budget time.Duration) error {
	servers = slices.DeleteFunc(slices.Clone(servers), func(s *Server) bool { return s.cancel == nil })
	for _, s := range servers {
		s.cancel()
	}
	deadline := time.After(budget)
	for _, s := range servers {
		select {
		case <-s.gone:
		case <-deadline:
			for _, s := range servers {
				s.Kill()
			}
			return fmt.Errorf("children did not end within %v", budget)
		}
	}
	// An owner outlives Stop only behind a client that takes no responses.
	deadline = time.After(drainTime)
	for _, s := range servers {
		select {
		case <-s.joined:
		case <-deadline:
			return nil
		}
	}
	return nil
}
