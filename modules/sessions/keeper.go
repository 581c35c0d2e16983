package sessions

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcp-aggregator/modules/servers"
)

// keeper owns one server: its goroutine alone moves it from state to state.
type keeper struct {
	m  *SessionManager
	id string

	wished atomic.Pointer[wish]
	woken  chan struct{} // the wish has changed
	hasty  chan struct{} // the next attempt is not to be waited for
	state  atomic.Pointer[State]
}

// wish is what is wanted of a server.
type wish struct {
	server *servers.Server // the record; nil once it is removed
	over   chan struct{}   // closed when this is not the wish any more
}

func newWish(s *servers.Server) *wish { return &wish{s, make(chan struct{})} }

func newKeeper(m *SessionManager, s servers.Server) *keeper {
	k := &keeper{
		m: m, id: s.ID,
		woken: make(chan struct{}, 1), hasty: make(chan struct{}, 1),
	}
	k.wished.Store(newWish(&s))
	first := newState(s.Status, "")
	first.drained = s.Status == servers.Disconnected
	k.state.Store(first)
	return k
}

// wish takes the record as it is now; nil when it is removed.
func (k *keeper) wish(s *servers.Server) {
	close(k.wished.Swap(newWish(s)).over)
	signal(k.woken)
}

// hurry ends the pause before the next attempt.
func (k *keeper) hurry() { signal(k.hasty) }

// begun hurries, and returns the state once an attempt to connect has begun, or after a
// second: at a replica that does not run the server none does.
func (k *keeper) begun(ctx context.Context) *State {
	state := k.state.Load()
	k.hurry()
	if state.Status == servers.Connecting {
		return state
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-state.Over:
	case <-timer.C:
	case <-ctx.Done():
	}
	return k.state.Load()
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run lives until the record is removed or ctx ends.
func (k *keeper) run(ctx context.Context) {
	for ctx.Err() == nil {
		switch s := k.wished.Load().server; {
		case s == nil:
			k.disconnected("", 0)
			return
		case s.Wanted:
			k.keep(ctx, *s)
		default:
			k.rest(ctx)
		}
	}
}

// rest waits for a wish, of a server that is not wanted.
func (k *keeper) rest(ctx context.Context) {
	if state := k.state.Load(); state.Status != servers.Disconnected || !state.drained || state.Reason != "" {
		k.disconnected("", 0)
	}
	select {
	case <-k.woken:
	case <-ctx.Done():
	}
}

// disconnected shows that nothing is left of a session, or that there was none.
func (k *keeper) disconnected(reason string, pending int, events ...servers.Event) {
	state := newState(servers.Disconnected, reason)
	state.drained, state.pending = true, pending
	k.show(state, events...)
}

// show replaces the state and has it observed.
func (k *keeper) show(state *State, events ...servers.Event) {
	k.replace(state)
	o := servers.Observation{
		Status: state.Status, ToolCount: state.tools, Error: state.Reason,
		Elsewhere: state.Reason == runsElsewhere,
	}
	k.m.seams.Registry.Observe(k.id, o, events...)
}

// replace has those who wait for the end of the state before look at the new one.
func (k *keeper) replace(state *State) {
	close(k.state.Swap(state).over) // only its keeper replaces a state
}

// runsElsewhere is why a wanted server is not connected here.
const runsElsewhere = "another replica of the service runs it"

// keep has the server of s connected until the wish changes or ctx ends.
func (k *keeper) keep(ctx context.Context, s servers.Server) {
	claim, ok := k.claim(ctx, s)
	if !ok {
		return
	}
	defer claim.Release()
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel(nil)
	watch.Go(func() {
		select {
		case <-claim.Lost():
			cancel(errLost)
		case <-ctx.Done():
		}
	})
	k.converse(ctx, s)
}

// errLost is the cause of a context that ends because the claim is lost.
var errLost = errors.New("the right to run it was lost")

// claim makes this replica the one that runs the server; only a process needs that.
// It is tried once; without success the caller comes back after a pause.
func (k *keeper) claim(ctx context.Context, s servers.Server) (servers.Claim, bool) {
	if s.Transport != servers.Stdio {
		return unclaimed{}, true
	}
	claim, ok, err := k.m.seams.Cluster.Claim(ctx, k.id)
	if ok {
		return claim, true
	}
	reason := runsElsewhere
	if err != nil {
		reason = "the store does not say whether another replica runs it"
		k.m.log.Warn("server not claimed", slog.String("server", s.Name), slog.String("reason", err.Error()))
	}
	if state := k.state.Load(); state.Reason != reason {
		k.disconnected(reason, 0)
	}
	k.pause(ctx, s, k.m.options.ClaimPause)
	return nil, false
}

// unclaimed is the Claim on a server that every replica may connect to.
type unclaimed struct{}

func (unclaimed) Lost() <-chan struct{} { return nil }

func (unclaimed) Release() {}

// pause waits, as long as a session with s is what is wished, unless somebody is in
// a hurry, which it reports.
func (k *keeper) pause(ctx context.Context, s servers.Server, d time.Duration) (hurried bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for k.still(s) {
		select {
		case <-timer.C:
			return false
		case <-k.hasty:
			return true
		case <-k.woken: // perhaps by what we said of it ourselves
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// still reports whether a session with s is what is wished.
func (k *keeper) still(s servers.Server) bool {
	wished := k.wished.Load().server
	return wished != nil && wished.Wanted && wished.SameTarget(s)
}

// drained waits until the server is disconnected and nothing is left of the session,
// or until somebody else wants it connected again, who has the last word.
func (k *keeper) drained(ctx context.Context) (pending int, err error) {
	for {
		state, wished := k.state.Load(), k.wished.Load()
		if state.drained || wished.server != nil && wished.server.Wanted {
			return state.pending, nil
		}
		select {
		case <-state.Over:
		case <-wished.over:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (k *keeper) event(kind servers.EventKind, details string) servers.Event {
	return servers.Event{Server: k.id, Kind: kind, Details: details, At: time.Now().UTC()}
}

// released waits until no other replica runs the server any more, which it does until
// its pending calls have ended.
func (k *keeper) released(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, k.m.options.DrainTime+k.m.options.ClaimPause)
	defer cancel()
	for {
		claim, ok, err := k.m.seams.Cluster.Claim(ctx, k.id)
		if ok {
			claim.Release()
		}
		if ok || err != nil {
			return err
		}
		select {
		case <-time.After(k.m.options.ClaimPause / 10):
		case <-ctx.Done():
			return nil // its calls were cut off meanwhile
		}
	}
}
