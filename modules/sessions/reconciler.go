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

// reconciler owns one server: its goroutine alone moves it from state to state.
type reconciler struct {
	m  *SessionManager
	id string

	desired        atomic.Pointer[desired]
	desiredChanged chan struct{} // the desired state has changed
	retry          chan struct{} // the next attempt is not to be waited for
	state          atomic.Pointer[State]
}

// desired is what is wanted of a server.
type desired struct {
	server   *servers.Server // the record; nil once it is removed
	replaced chan struct{}   // closed when another one replaces this
}

func newDesired(s *servers.Server) *desired { return &desired{s, make(chan struct{})} }

func newReconciler(m *SessionManager, s servers.Server) *reconciler {
	k := &reconciler{
		m: m, id: s.ID,
		desiredChanged: make(chan struct{}, 1), retry: make(chan struct{}, 1),
	}
	k.desired.Store(newDesired(&s))
	first := newState(s.Status, "")
	first.drained = s.Status == servers.Disconnected
	k.state.Store(first)
	return k
}

// setDesired takes the record as it is now; nil when it is removed.
func (k *reconciler) setDesired(s *servers.Server) {
	close(k.desired.Swap(newDesired(s)).replaced)
	signal(k.desiredChanged)
}

// retryNow ends the pause before the next attempt.
func (k *reconciler) retryNow() { signal(k.retry) }

// begun hurries, and returns the state once an attempt to connect has begun, or after a
// second: at a replica that does not run the server none does.
func (k *reconciler) begun(ctx context.Context) *State {
	state := k.state.Load()
	k.retryNow()
	if state.Status == servers.Connecting {
		return state
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-state.Replaced:
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
func (k *reconciler) run(ctx context.Context) {
	for ctx.Err() == nil {
		switch s := k.desired.Load().server; {
		case s == nil:
			k.setDisconnected("", 0)
			return
		case s.Wanted:
			k.reconcile(ctx, *s)
		default:
			k.awaitDesired(ctx)
		}
	}
}

// awaitDesired waits for another desired state, of a server that is not wanted.
func (k *reconciler) awaitDesired(ctx context.Context) {
	if state := k.state.Load(); state.Status != servers.Disconnected || !state.drained || state.Reason != "" {
		k.setDisconnected("", 0)
	}
	select {
	case <-k.desiredChanged:
	case <-ctx.Done():
	}
}

// setDisconnected shows that nothing is left of a session, or that there was none.
func (k *reconciler) setDisconnected(reason string, pending int, events ...servers.Event) {
	state := newState(servers.Disconnected, reason)
	state.drained, state.pending = true, pending
	k.setState(state, events...)
}

// setState replaces the state and has it observed.
func (k *reconciler) setState(state *State, events ...servers.Event) {
	k.replace(state)
	o := servers.Observation{
		Status: state.Status, ToolCount: state.tools, Error: state.Reason,
		Elsewhere: state.Reason == runsElsewhere,
	}
	k.m.deps.Records.Observe(k.id, o, events...)
}

// replace has those who wait for the end of the state before look at the new one.
func (k *reconciler) replace(state *State) {
	close(k.state.Swap(state).replaced) // only its reconciler replaces a state
}

// runsElsewhere is why a wanted server is not connected here.
const runsElsewhere = "another replica of the service runs it"

// reconcile has the server of s connected until the desired state changes or ctx ends.
func (k *reconciler) reconcile(ctx context.Context, s servers.Server) {
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
	k.stayConnected(ctx, s)
}

// errLost is the cause of a context that ends because the claim is lost.
var errLost = errors.New("the right to run it was lost")

// claim makes this replica the one that runs the server; only a process needs that.
// It is tried once; without success the caller comes back after a pause.
func (k *reconciler) claim(ctx context.Context, s servers.Server) (servers.Claim, bool) {
	if s.Transport != servers.Stdio {
		return unclaimed{}, true
	}
	claim, ok, err := k.m.deps.Cluster.Claim(ctx, k.id)
	if ok {
		return claim, true
	}
	reason := runsElsewhere
	if err != nil {
		reason = "the store does not say whether another replica runs it"
		k.m.log.Warn("server not claimed", slog.String("server", s.Name), slog.String("reason", err.Error()))
	}
	if state := k.state.Load(); state.Reason != reason {
		k.setDisconnected(reason, 0)
	}
	k.backOff(ctx, s, k.m.options.ClaimPause)
	return nil, false
}

// unclaimed is the Claim on a server that every replica may connect to.
type unclaimed struct{}

func (unclaimed) Lost() <-chan struct{} { return nil }

func (unclaimed) Release() {}

// backOff waits, as long as a session with s is what is desired, unless somebody is in
// a retryNow, which it reports.
func (k *reconciler) backOff(ctx context.Context, s servers.Server, d time.Duration) (hurried bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for k.stillDesired(s) {
		select {
		case <-timer.C:
			return false
		case <-k.retry:
			return true
		case <-k.desiredChanged: // perhaps by what we said of it ourselves
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// stillDesired reports whether a session with s is what is desired.
func (k *reconciler) stillDesired(s servers.Server) bool {
	desired := k.desired.Load().server
	return desired != nil && desired.Wanted && desired.SameTarget(s)
}

// awaitDrained waits until the server is disconnected and nothing is left of the session,
// or until somebody else wants it connected again, who has the last word.
func (k *reconciler) awaitDrained(ctx context.Context) (pending int, err error) {
	for {
		state, desired := k.state.Load(), k.desired.Load()
		if state.drained || desired.server != nil && desired.server.Wanted {
			return state.pending, nil
		}
		select {
		case <-state.Replaced:
		case <-desired.replaced:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (k *reconciler) event(kind servers.EventKind, details string) servers.Event {
	return servers.Event{Server: k.id, Kind: kind, Details: details, At: time.Now().UTC()}
}

// awaitReleased waits until no other replica runs the server any more, which it does until
// its pending calls have ended.
func (k *reconciler) awaitReleased(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, k.m.options.DrainTime+k.m.options.ClaimPause)
	defer cancel()
	for {
		claim, ok, err := k.m.deps.Cluster.Claim(ctx, k.id)
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
