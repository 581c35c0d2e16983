package router

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// ServerLookup has the records of the servers.
type ServerLookup interface {
	// Servers returns all records.
	Servers() []servers.Server
	// Server returns the record with that id, or servers.ErrUnknown.
	Server(id string) (servers.Server, error)
	// Named returns the record with that name, or servers.ErrUnknown.
	Named(name string) (servers.Server, error)
}

// SessionStates has the states of the sessions.
type SessionStates interface {
	// State returns the state of the server with that id; nil if there is none.
	State(id string) *sessions.State
}

// Options of the RequestRouter. The zero value means the defaults.
type Options struct {
	// ConnectWait bounds how long a call waits for a server that is connecting;
	// default 10 s.
	ConnectWait time.Duration
}

// RequestRouter carries calls to the servers.
type RequestRouter struct {
	servers     ServerLookup
	sessions    SessionStates
	tools       *registry.ToolRegistry
	dotted      *registry.Naming // for callers that are not MCP clients
	connectWait time.Duration

	stopOnce sync.Once
	stopped  chan struct{} // closed by EndCalls
}

// NewRequestRouter returns a router of calls to the given tools.
func NewRequestRouter(records ServerLookup, live SessionStates, tools *registry.ToolRegistry, options Options) *RequestRouter {
	return &RequestRouter{
		servers: records, sessions: live, tools: tools, dotted: registry.Dotted.NamingFor(""),
		connectWait: cmp.Or(options.ConnectWait, 10*time.Second), stopped: make(chan struct{}),
	}
}

// EndCalls ends all calls, now and in the future: with *servers.LostError if a server has
// received the call, otherwise with servers.ErrStopping.
func (r *RequestRouter) EndCalls() { r.stopOnce.Do(func() { close(r.stopped) }) }

// Call is a tools/call to be carried.
type Call struct {
	// Query identifies the tool.
	Query Query
	// Request is the tools/call. Its id, params.name and progress token are replaced;
	// everything else reaches the server unchanged.
	Request *wire.Message
	// Client is where the call came from; nil if it can receive neither notifications
	// nor requests.
	Client Client
	// Session and Principal say who calls; both are empty if that is unknown. The router
	// itself does not use them.
	Session, Principal string
}

// Answer is the response to a call.
type Answer struct {
	Response  *wire.Message // a result or an error, unchanged but for its id
	Server    string        // name of the server
	Tool      string        // as the server calls it
	Routing   time.Duration // until the call was sent to the session, waits included
	Execution time.Duration // from then on
}

// Call carries a call and returns the response. It returns *servers.UnknownToolError,
// *servers.AmbiguousError, *servers.UnavailableError, *servers.LostError,
// servers.ErrUnknown for an unknown id, servers.ErrStopping after EndCalls, or the
// context's error after it has ended; the server is then sent a notifications/cancelled,
// see [CancelledError].
func (r *RequestRouter) Call(ctx context.Context, call Call) (*Answer, error) {
	began := time.Now()
	budget := &waitBudget{r.connectWait}
	var lost error // why the last attempt was lost, if it may be retried
	for losses := 0; ; {
		t, err := r.resolveConnected(ctx, call.Query, budget)
		if err != nil {
			return nil, cmp.Or(ctx.Err(), lost, err)
		}
		sent := time.Now()
		o := r.sendCall(ctx, t, call)
		switch {
		case o.err != nil:
			return nil, o.err
		case o.response != nil:
			return &Answer{o.response, t.server.Name, t.entry.OriginalName, sent.Sub(began), time.Since(sent)}, nil
		case !o.shouldRetry(t, losses):
			return nil, cmp.Or(lost, o.finalError(t))
		case !o.failure.Unsent:
			losses, lost = losses+1, o.finalError(t)
		}
		if !o.sessionEnded {
			continue
		}
		if err := r.waitFor(ctx, budget, t.state.Replaced, func() error { return o.finalError(t) }); err != nil {
			return nil, cmp.Or(ctx.Err(), lost, err)
		}
	}
}

// resolveConnected resolves a query, and waits while its server is connecting.
func (r *RequestRouter) resolveConnected(ctx context.Context, q Query, budget *waitBudget) (*target, error) {
	for {
		t, err := r.resolveTool(q)
		if err != nil {
			return nil, err
		}
		switch {
		case t.entry != nil && t.state.Live != nil:
			return t, nil
		case t.state.Status != servers.Connecting:
			return nil, t.unavailableError()
		}
		late := func() error { return t.waitedError(r.connectWait) }
		if err := r.waitFor(ctx, budget, t.state.Replaced, late); err != nil {
			return nil, err
		}
	}
}

// waitFor waits for c. If the budget is spent it returns the error of late; otherwise
// that of ctx, or servers.ErrStopping.
func (r *RequestRouter) waitFor(ctx context.Context, budget *waitBudget, c <-chan struct{}, late func() error) error {
	err := budget.waitFor(ctx, c, r.stopped)
	if errors.Is(err, errWaitBudgetSpent) {
		return late()
	}
	return err
}

// waitBudget is the time that a call may still wait for servers. It does not decrease
// while a server has the call.
type waitBudget struct{ left time.Duration }

var errWaitBudgetSpent = errors.New("the wait budget is spent")

// waitFor waits for c. It returns an error when the budget is spent, ctx has ended, or
// stopped is closed: servers.ErrStopping.
func (b *waitBudget) waitFor(ctx context.Context, c, stopped <-chan struct{}) error {
	began := time.Now()
	timer := time.NewTimer(b.left)
	defer timer.Stop()
	select {
	case <-c:
		b.left -= time.Since(began)
		return nil
	case <-timer.C:
		b.left = 0
		return errWaitBudgetSpent
	case <-stopped:
		return servers.ErrStopping
	case <-ctx.Done():
		return ctx.Err()
	}
}
