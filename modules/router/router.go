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

// ServerLookup is where the records of the servers are.
type ServerLookup interface {
	// Servers returns all records.
	Servers() []servers.Server
	// Server returns the record with that id, or servers.ErrUnknown.
	Server(id string) (servers.Server, error)
	// Named returns the record with that name, or servers.ErrUnknown.
	Named(name string) (servers.Server, error)
}

// SessionStates is where the live sessions are.
type SessionStates interface {
	// State returns how the server with that id stands; nil when there is none.
	State(id string) *sessions.State
}

// Options of the RequestRouter. The zero value means the defaults.
type Options struct {
	// ConnectWait is how long a call waits for a server that is being connected;
	// default 10 s.
	ConnectWait time.Duration
}

// RequestRouter carries calls to the servers.
type RequestRouter struct {
	servers     ServerLookup
	sessions    SessionStates
	tools       *registry.ToolRegistry
	dotted      *registry.Naming // of those who are no client with rules of its own
	connectWait time.Duration

	stopOnce sync.Once
	stopped  chan struct{} // closed when calls are not carried any more
}

// NewRequestRouter returns a router of calls to the tools that are listed in tools.
func NewRequestRouter(records ServerLookup, live SessionStates, tools *registry.ToolRegistry, options Options) *RequestRouter {
	return &RequestRouter{
		servers: records, sessions: live, tools: tools, dotted: registry.Dotted.NamingFor(""),
		connectWait: cmp.Or(options.ConnectWait, 10*time.Second), stopped: make(chan struct{}),
	}
}

// EndCalls ends all calls, and those that are still to come: with *servers.LostError
// what a server has taken, and with servers.ErrStopping what none has.
func (r *RequestRouter) EndCalls() { r.stopOnce.Do(func() { close(r.stopped) }) }

// Call is a call on its way.
type Call struct {
	// Query says which tool is called.
	Query Query
	// Request is a tools/call. Its id and params.name are replaced, and so is its
	// progress token; everything else arrives as it is.
	Request *wire.Message
	// Client is where it came from; nil for one that can neither be told nor asked
	// anything.
	Client Client
}

// Answer is what a server answered.
type Answer struct {
	Response  *wire.Message // verbatim, under an id of ours; a result or an error
	Server    string        // its name
	Routing   time.Duration // until the call was handed to the session, waits included
	Execution time.Duration // from then on
}

// Call carries a call and returns the answer. It returns
// *servers.UnknownToolError, *servers.AmbiguousError, *servers.UnavailableError,
// *servers.LostError, servers.ErrUnknown for an unknown id, servers.ErrStopping after
// EndCalls, or the context's error after it was cancelled, which the server is told of;
// see [CancelledError].
func (r *RequestRouter) Call(ctx context.Context, call Call) (*Answer, error) {
	began := time.Now()
	patience := &waitBudget{r.connectWait}
	var lost error // it was made, and may be made again
	for losses := 0; ; {
		t, err := r.resolveConnected(ctx, call.Query, patience)
		if err != nil {
			return nil, cmp.Or(ctx.Err(), lost, err)
		}
		handed := time.Now()
		o := r.sendCall(ctx, t, call)
		switch {
		case o.err != nil:
			return nil, o.err
		case o.response != nil:
			return &Answer{o.response, t.server.Name, handed.Sub(began), time.Since(handed)}, nil
		case !o.shouldRetry(t, losses):
			return nil, cmp.Or(lost, o.finalError(t))
		case !o.failure.Unsent:
			losses, lost = losses+1, o.finalError(t)
		}
		if !o.sessionEnded {
			continue
		}
		if err := r.waitFor(ctx, patience, t.state.Replaced, func() error { return o.finalError(t) }); err != nil {
			return nil, cmp.Or(ctx.Err(), lost, err)
		}
	}
}

// resolveConnected resolves the query, and waits for its server if that is being connected.
func (r *RequestRouter) resolveConnected(ctx context.Context, q Query, p *waitBudget) (*target, error) {
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
		if err := r.waitFor(ctx, p, t.state.Replaced, late); err != nil {
			return nil, err
		}
	}
}

// waitFor waits for c. It returns the error of a call that has waited long enough, which is
// late's, of one that was cancelled, or servers.ErrStopping.
func (r *RequestRouter) waitFor(ctx context.Context, p *waitBudget, c <-chan struct{}, late func() error) error {
	err := p.waitFor(ctx, c, r.stopped)
	if errors.Is(err, errWaitBudgetSpent) {
		return late()
	}
	return err
}

// waitBudget is the time that one call may still wait. It does not pass while the call is
// with a server.
type waitBudget struct{ left time.Duration }

var errWaitBudgetSpent = errors.New("waited long enough")

// waitFor waits for c. It returns an error when the time is up, ctx has ended, or the
// service is stopping, as over tells.
func (p *waitBudget) waitFor(ctx context.Context, c, over <-chan struct{}) error {
	began := time.Now()
	timer := time.NewTimer(p.left)
	defer timer.Stop()
	select {
	case <-c:
		p.left -= time.Since(began)
		return nil
	case <-timer.C:
		p.left = 0
		return errWaitBudgetSpent
	case <-over:
		return servers.ErrStopping
	case <-ctx.Done():
		return ctx.Err()
	}
}
