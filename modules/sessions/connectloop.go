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

// connectLoop is the sessions with one server, one after the other, for as long as
// it is wanted as it is.
type connectLoop struct {
	*reconciler

	server   servers.Server
	backOffs *backoff.ExponentialBackOff

	hadSession   bool   // there was a session
	failures     int    // attempts in a row
	lastReported string // the last failure that the history tells of
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

// drainSignal forgets a signal.
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

// activeSession is one session and what belongs to it.
type activeSession struct {
	live          *LiveSession
	peer          *peer
	since         time.Time
	stopKillGuard func() (stopped bool)
}

// newActiveSession returns a session that is killed when the right to run its server is lost,
// whatever its reconciler is busy with: from then on another replica may start the server.
func newActiveSession(ctx context.Context, session Session, p *peer) *activeSession {
	unguard := context.AfterFunc(ctx, func() {
		if killer, ok := session.(Killer); ok && errors.Is(context.Cause(ctx), errClaimLost) {
			killer.Kill()
		}
	})
	return &activeSession{newLiveSession(session, p.requests), p, time.Now(), unguard}
}

type dialResult struct {
	session Session
	err     error
}

// dial makes a session, unless the desired state changes.
func (c *connectLoop) dial(ctx context.Context) (*activeSession, error) {
	drainSignal(c.retrySignal)
	target, err := c.manager.deps.Expander.Expand(c.server)
	if err != nil {
		return nil, &permanentError{err}
	}
	dialling, cancel := context.WithTimeout(ctx, c.manager.options.DialTimeout)
	defer cancel()
	p := newPeer(c.manager.deps.ServerRequests.NewServerRequests(c.server))
	done := make(chan dialResult, 1)
	go func() { // joined below
		session, err := c.manager.dialers[c.server.Transport].Dial(dialling, target, p)
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

// permanentError is a failure that no further attempt fixes.
type permanentError struct{ error }

// closeUnused closes a session that nobody has used.
func (c *connectLoop) closeUnused(l *activeSession) {
	if l != nil {
		l.live.Close()
		l.stopKillGuard()
	}
}

// handleDialError takes note of an attempt, and waits before the next one.
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
	if _, ok := err.(*permanentError); ok { //nolint:errorlint // made here, never wrapped
		pause = noRetry
	} else {
		state.Next = time.Now().Add(pause)
	}
	if before.Status != status || before.Reason != reason {
		c.setState(state, events...)
	} else {
		c.replaceState(state) // nothing is new but when the next attempt is
	}
	if c.backOff(ctx, c.server, pause) {
		c.backOffs.Reset()
		c.lastReported = ""
		c.setState(newState(servers.Connecting, ""))
	}
}

const noRetry = 1 << 20 * time.Hour

// handleConnected shows a new session, with its tools.
func (c *connectLoop) handleConnected(ctx context.Context, l *activeSession) {
	kind, details := servers.EventConnected, "connected"
	if c.hadSession {
		kind, details = servers.EventReconnected, "connected again"
	}
	c.hadSession, c.failures, c.lastReported = true, 0, ""
	tools, lacking := c.storeTools(ctx, l, 0)
	c.manager.log.Info("server connected", slog.String("server", c.server.Name), slog.Int("tools", tools))
	c.setState(connectedState(l.live, tools, lacking), c.newEvent(kind, details))
}

func connectedState(l *LiveSession, tools int, lacking string) *State {
	status := servers.Connected
	if lacking != "" {
		status = servers.Degraded
	}
	state := newState(status, lacking)
	state.Live, state.tools = l, tools
	return state
}

// storeTools has the tools listed, if they have changed.
func (c *connectLoop) storeTools(ctx context.Context, l *activeSession, tools int) (count int, lacking string) {
	definitions, fresh, lacking := l.peer.fetchTools()
	if !fresh {
		return tools, lacking
	}
	return c.manager.deps.Tools.Set(ctx, c.id, definitions), lacking
}
