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

	server servers.Server
	pauses *backoff.ExponentialBackOff

	hadSession   bool   // there was a session
	failures     int    // attempts in a row
	lastReported string // the last failure that the history tells of
}

func (r *reconciler) stayConnected(ctx context.Context, s servers.Server) {
	c := &connectLoop{reconciler: r, server: s, pauses: backoff.NewExponentialBackOff()}
	c.pauses.InitialInterval, c.pauses.MaxInterval = r.m.options.FirstPause, r.m.options.LastPause
	c.pauses.Multiplier = 2
	c.pauses.Reset()
	r.setState(newState(servers.Connecting, ""))
	for c.desiredStill(ctx) {
		link, err := c.dial(ctx)
		switch {
		case !c.desiredStill(ctx):
			c.closeUnused(link)
		case err != nil:
			c.dialFailed(ctx, err)
		default:
			c.sessionBegan(ctx, link)
			c.followSession(ctx, link)
			link.unguard()
		}
	}
	if state := r.state.Load(); !state.drained && ctx.Err() != nil {
		r.setDisconnected("", 0)
	}
}

func (c *connectLoop) desiredStill(ctx context.Context) bool {
	return ctx.Err() == nil && c.stillDesired(c.server)
}

// clearSignal forgets a signal.
func clearSignal(c <-chan struct{}) {
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
	live    *LiveSession
	peer    *peer
	since   time.Time
	unguard func() (stopped bool)
}

// newActiveSession returns a session that is killed when the right to run its server is lost,
// whatever its reconciler is busy with: from then on another replica may start the server.
func newActiveSession(ctx context.Context, session Session, p *peer) *activeSession {
	unguard := context.AfterFunc(ctx, func() {
		if killer, ok := session.(Killer); ok && errors.Is(context.Cause(ctx), errLost) {
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
	clearSignal(c.retry)
	target, err := c.m.deps.Expander.Expand(c.server)
	if err != nil {
		return nil, &permanentError{err}
	}
	dialling, cancel := context.WithTimeout(ctx, c.m.options.DialTimeout)
	defer cancel()
	p := newPeer(c.m.deps.ServerRequests.NewServerRequests(c.server))
	done := make(chan dialResult, 1)
	go func() { // joined below
		session, err := c.m.dialers[c.server.Transport].Dial(dialling, target, p)
		done <- dialResult{session, err}
	}()
	for {
		select {
		case d := <-done:
			if errors.Is(d.err, context.DeadlineExceeded) {
				d.err = fmt.Errorf("it was not connected after %v", c.m.options.DialTimeout)
			}
			if d.err != nil {
				return nil, d.err
			}
			return newActiveSession(ctx, d.session, p), nil
		case <-c.desiredChanged:
			if !c.desiredStill(ctx) {
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
		l.unguard()
	}
}

// dialFailed takes note of an attempt, and waits before the next one.
func (c *connectLoop) dialFailed(ctx context.Context, err error) {
	c.failures++
	reason := err.Error()
	status := servers.Errored
	if c.hadSession && c.failures < c.m.options.MaxFailures {
		status = servers.Connecting
	}
	var events []servers.Event
	if reason != c.lastReported {
		c.lastReported = reason
		events = append(events, c.event(servers.EventError, reason))
		c.m.log.Warn("server not connected", slog.String("server", c.server.Name), slog.String("reason", reason))
	}
	before, state := c.state.Load(), newState(status, reason)
	pause := c.pauses.NextBackOff()
	if _, ok := err.(*permanentError); ok { //nolint:errorlint // made here, never wrapped
		pause = forever
	} else {
		state.Next = time.Now().Add(pause)
	}
	if before.Status != status || before.Reason != reason {
		c.setState(state, events...)
	} else {
		c.replace(state) // nothing is new but when the next attempt is
	}
	if c.backOff(ctx, c.server, pause) {
		c.pauses.Reset()
		c.lastReported = ""
		c.setState(newState(servers.Connecting, ""))
	}
}

const forever = 1 << 20 * time.Hour

// sessionBegan shows a new session, with its tools.
func (c *connectLoop) sessionBegan(ctx context.Context, l *activeSession) {
	kind, details := servers.EventConnected, "connected"
	if c.hadSession {
		kind, details = servers.EventReconnected, "connected again"
	}
	c.hadSession, c.failures, c.lastReported = true, 0, ""
	tools, lacking := c.storeTools(ctx, l, 0)
	c.m.log.Info("server connected", slog.String("server", c.server.Name), slog.Int("tools", tools))
	c.setState(connectedState(l.live, tools, lacking), c.event(kind, details))
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
	definitions, fresh, lacking := l.peer.fetch()
	if !fresh {
		return tools, lacking
	}
	return c.m.deps.Tools.Set(ctx, c.id, definitions), lacking
}
