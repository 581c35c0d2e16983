package sessions

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"

	"mcp-aggregator/modules/servers"
)

// connectLoop holds the sessions with one server, one after the other, for as long as that
// server is the desired target.
type connectLoop struct {
	*reconciler

	server   servers.Server
	backOffs *backoff.ExponentialBackOff

	hadSession   bool   // whether there was a session
	failures     int    // consecutive attempts
	lastReported string // the last failure in the history
}

func (r *reconciler) stayConnected(ctx context.Context, s servers.Server) {
	c := &connectLoop{reconciler: r, server: s, backOffs: backoff.NewExponentialBackOff()}
	c.backOffs.InitialInterval, c.backOffs.MaxInterval = r.manager.options.FirstPause, r.manager.options.LastPause
	c.backOffs.Multiplier = 2
	c.backOffs.Reset()
	r.setState(newState(servers.Connecting, ""))
	for c.isDesired(ctx) {
		link, err := c.dial(ctx)
		switch {
		case !c.isDesired(ctx):
			c.closeUnused(link)
		case err != nil:
			c.handleDialError(ctx, err)
		default:
			c.handleConnected(ctx, link)
			c.followSession(ctx, link)
			link.stopKillGuard()
		}
	}
	if state := r.state.Load(); !state.drained && ctx.Err() != nil {
		r.setDisconnected("", 0)
	}
}

func (c *connectLoop) isDesired(ctx context.Context) bool {
	return ctx.Err() == nil && c.stillDesired(c.server)
}

// drainSignal discards a pending signal.
func drainSignal(c <-chan struct{}) {
	select {
	case <-c:
	default:
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// activeSession is one session with what belongs to it.
type activeSession struct {
	live          *LiveSession
	peer          *peer
	since         time.Time
	stopKillGuard func() (stopped bool)
}

// newActiveSession returns a session that is killed as soon as the claim on its server is
// lost, whatever its reconciler is doing: another replica may start the server from then
// on.
func newActiveSession(ctx context.Context, session Session, p *peer) *activeSession {
	stopKillGuard := context.AfterFunc(ctx, func() {
		if killer, ok := session.(Killer); ok && errors.Is(context.Cause(ctx), errClaimLost) {
			killer.Kill()
		}
	})
	return &activeSession{newLiveSession(session, p.requests), p, time.Now(), stopKillGuard}
}

type dialResult struct {
	session Session
	err     error
}

// dial makes a session, or cancels the attempt if the desired state changes.
func (c *connectLoop) dial(ctx context.Context) (*activeSession, error) {
	drainSignal(c.retrySignal)
	target, err := c.manager.deps.Expander.Expand(c.server)
	if err != nil {
		return nil, &permanentError{err}
	}
	dialContext, cancel := context.WithTimeout(ctx, c.manager.options.DialTimeout)
	defer cancel()
	p := newPeer(c.manager.deps.ServerRequests.NewServerRequests(c.server))
	done := make(chan dialResult, 1)
	go func() { // joined below
		session, err := c.manager.dialers[c.server.Transport].Dial(dialContext, target, p)
		done <- dialResult{session, err}
	}()
	for {
		select {
		case d := <-done:
			if errors.Is(d.err, context.DeadlineExceeded) {
				d.err = fmt.Errorf("it was not connected after %v", c.manager.options.DialTimeout)
			}
			if d.err != nil {
				return nil, d.err
			}
			return newActiveSession(ctx, d.session, p), nil
		case <-c.desiredChanged:
			if !c.isDesired(ctx) {
				cancel()
			}
		}
	}
}

// permanentError is an error that no retry fixes.
type permanentError struct{ error }

// closeUnused closes a session that was never published.
func (c *connectLoop) closeUnused(l *activeSession) {
	if l != nil {
		l.live.Close()
		l.stopKillGuard()
	}
}

// handleDialError records a failed attempt, and waits until the next one.
func (c *connectLoop) handleDialError(ctx context.Context, err error) {
	c.failures++
	reason := err.Error()
	status := servers.Errored
	if c.hadSession && c.failures < c.manager.options.MaxFailures {
		status = servers.Connecting
	}
	var events []servers.Event
	if reason != c.lastReported {
		c.lastReported = reason
		events = append(events, c.newEvent(servers.EventError, reason))
		c.manager.log.Warn("server not connected", slog.String("server", c.server.Name), slog.String("reason", reason))
	}
	before, state := c.state.Load(), newState(status, reason)
	pause := c.backOffs.NextBackOff()
	if _, ok := err.(*permanentError); ok { //nolint:errorlint // made in this package, never wrapped
		pause = noRetry
	} else {
		state.Next = time.Now().Add(pause)
	}
	if before.Status != status || before.Reason != reason {
		c.setState(state, events...)
	} else {
		c.replaceState(state) // only the time of the next attempt is new
	}
	if c.backOff(ctx, c.server, pause) {
		c.backOffs.Reset()
		c.lastReported = ""
		c.setState(newState(servers.Connecting, ""))
	}
}

// noRetry is the pause after a permanent error: only a change of the desired state or a
// request to connect ends it.
const noRetry = 1 << 20 * time.Hour

// handleConnected publishes a new session and its tools.
func (c *connectLoop) handleConnected(ctx context.Context, l *activeSession) {
	kind, details := servers.EventConnected, "connected"
	if c.hadSession {
		kind, details = servers.EventReconnected, "connected again"
	}
	c.hadSession, c.failures, c.lastReported = true, 0, ""
	c.setInfo(l.live.Session)
	tools, degraded := c.storeTools(ctx, l, 0)
	c.manager.log.Info("server connected", slog.String("server", c.server.Name), slog.Int("tools", tools))
	c.setState(connectedState(l.live, tools, degraded), c.newEvent(kind, details))
}

// setInfo stores what the server says of itself. It is called before the tools are
// published, because their followers read it.
func (c *connectLoop) setInfo(s Session) {
	if introduced, ok := s.(Introduced); ok {
		info := introduced.Info()
		c.info.Store(&info)
	}
}

func connectedState(l *LiveSession, tools int, degraded string) *State {
	status := servers.Connected
	if degraded != "" {
		status = servers.Degraded
	}
	state := newState(status, degraded)
	state.Live, state.tools = l, tools
	return state
}

// storeTools publishes the tools if they have changed, and returns how many are listed.
func (c *connectLoop) storeTools(ctx context.Context, l *activeSession, tools int) (count int, degraded string) {
	definitions, fresh, degraded := l.peer.fetchTools()
	if !fresh {
		return tools, degraded
	}
	return c.manager.deps.Tools.Set(ctx, c.id, definitions), degraded
}
