package sessions

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mcp-aggregator/modules/mcpclient"
	"mcp-aggregator/modules/servers"
)

// reconciler owns one server: only its goroutine changes the state.
type reconciler struct {
	manager *SessionManager
	id      string

	desired        atomic.Pointer[desired]
	desiredChanged chan struct{} // signals a new desired state
	retrySignal    chan struct{} // ends the pause before the next attempt
	state          atomic.Pointer[State]
	info           atomic.Pointer[mcpclient.ServerInfo] // of the newest session; nil before the first
}

// desired is the desired state of a server.
type desired struct {
	server   *servers.Server // the record; nil if it is removed
	replaced chan struct{}   // closed when the desired state changes
}

func newDesired(s *servers.Server) *desired { return &desired{s, make(chan struct{})} }

func newReconciler(m *SessionManager, s servers.Server) *reconciler {
	r := &reconciler{
		manager: m, id: s.ID,
		desiredChanged: make(chan struct{}, 1), retrySignal: make(chan struct{}, 1),
	}
	r.desired.Store(newDesired(&s))
	first := newState(s.Status, "")
	first.drained = s.Status == servers.Disconnected
	r.state.Store(first)
	return r
}

// setDesired sets the record, or nil when it is removed, and wakes the reconciler.
func (r *reconciler) setDesired(s *servers.Server) {
	close(r.desired.Swap(newDesired(s)).replaced)
	signal(r.desiredChanged)
}

// retryNow ends the pause before the next attempt.
func (r *reconciler) retryNow() { signal(r.retrySignal) }

// retryAndWait ends the pause before the next attempt and returns the state once that has
// begun, or after a second: on a replica that does not run the server, no attempt begins.
func (r *reconciler) retryAndWait(ctx context.Context) *State {
	state := r.state.Load()
	r.retryNow()
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
	return r.state.Load()
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run reconciles until the record is removed or ctx ends.
func (r *reconciler) run(ctx context.Context) {
	for ctx.Err() == nil {
		switch s := r.desired.Load().server; {
		case s == nil:
			r.setDisconnected("", 0)
			return
		case s.Wanted:
			r.reconcile(ctx, *s)
		default:
			r.awaitDesired(ctx)
		}
	}
}

// awaitDesired waits, for a server that is not wanted, until the desired state changes.
func (r *reconciler) awaitDesired(ctx context.Context) {
	if state := r.state.Load(); state.Status != servers.Disconnected || !state.drained || state.Reason != "" {
		r.setDisconnected("", 0)
	}
	select {
	case <-r.desiredChanged:
	case <-ctx.Done():
	}
}

// setDisconnected publishes that there is no session, and that nothing remains of the last
// one.
func (r *reconciler) setDisconnected(reason string, pending int, events ...servers.Event) {
	state := newState(servers.Disconnected, reason)
	state.drained, state.pending = true, pending
	r.setState(state, events...)
}

// setState publishes the state and reports it to the records.
func (r *reconciler) setState(state *State, events ...servers.Event) {
	r.replaceState(state)
	o := servers.Observation{
		Status: state.Status, ToolCount: state.tools, Error: state.Reason,
		Elsewhere: state.Reason == runsElsewhere,
	}
	r.manager.deps.Records.Observe(r.id, o, events...)
}

// replaceState publishes the state and wakes those who wait for the previous one to end.
func (r *reconciler) replaceState(state *State) {
	close(r.state.Swap(state).replaced) // only the reconciler replaces a state
}

// runsElsewhere is the reason why a wanted server is not connected by this replica.
const runsElsewhere = "another replica of the service runs it"

// reconcile keeps the server of s connected until the desired state changes or ctx ends.
func (r *reconciler) reconcile(ctx context.Context, s servers.Server) {
	claim, ok := r.tryClaim(ctx, s)
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
			cancel(errClaimLost)
		case <-ctx.Done():
		}
	})
	r.stayConnected(ctx, s)
}

// errClaimLost is the cause of a context that ends because the claim is lost.
var errClaimLost = errors.New("the claim to run it was lost")

// tryClaim claims a server that runs as a process. It tries once, and if that fails, it
// waits before it returns.
func (r *reconciler) tryClaim(ctx context.Context, s servers.Server) (servers.Claim, bool) {
	if s.Transport != servers.Stdio {
		return noopClaim{}, true
	}
	claim, ok, err := r.manager.deps.Cluster.Claim(ctx, r.id)
	if ok {
		return claim, true
	}
	reason := runsElsewhere
	if err != nil {
		reason = "the store cannot say whether another replica runs it"
		r.manager.log.Warn("server not claimed", slog.String("server", s.Name), slog.String("reason", err.Error()))
	}
	if state := r.state.Load(); state.Reason != reason {
		r.setDisconnected(reason, 0)
	}
	r.backOff(ctx, s, r.manager.options.ClaimPause)
	return nil, false
}

// noopClaim is the claim on a server that every replica may connect to.
type noopClaim struct{}

func (noopClaim) Lost() <-chan struct{} { return nil }

func (noopClaim) Release() {}

// backOff waits for d while a session with s is desired. It reports whether retryNow ended
// the wait.
func (r *reconciler) backOff(ctx context.Context, s servers.Server, d time.Duration) (retry bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for r.stillDesired(s) {
		select {
		case <-timer.C:
			return false
		case <-r.retrySignal:
			return true
		case <-r.desiredChanged: // the target may be the same
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// stillDesired reports whether a session with s is desired.
func (r *reconciler) stillDesired(s servers.Server) bool {
	desired := r.desired.Load().server
	return desired != nil && desired.Wanted && desired.SameTarget(s)
}

// awaitDrained waits until the server is disconnected and its session closed, or until it
// is wanted again: the last request wins.
func (r *reconciler) awaitDrained(ctx context.Context) (pending int, err error) {
	for {
		state, desired := r.state.Load(), r.desired.Load()
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

func (r *reconciler) newEvent(kind servers.EventKind, details string) servers.Event {
	return servers.Event{Server: r.id, Kind: kind, Details: details, At: time.Now().UTC()}
}

// awaitReleased waits until no other replica runs the server any more, which is after its
// pending calls have ended.
func (r *reconciler) awaitReleased(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.manager.options.DrainTime+r.manager.options.ClaimPause)
	defer cancel()
	for {
		claim, ok, err := r.manager.deps.Cluster.Claim(ctx, r.id)
		if ok {
			claim.Release()
		}
		if ok || err != nil {
			return err
		}
		select {
		case <-time.After(r.manager.options.ClaimPause / 10):
		case <-ctx.Done():
			return nil // the other replica has cut its calls off
		}
	}
}
