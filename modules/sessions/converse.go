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

// conversation is the sessions with one server, one after the other, for as long as
// it is wanted as it is.
type conversation struct {
	*keeper

	server servers.Server
	pauses *backoff.ExponentialBackOff

	before   bool   // there was a session
	failures int    // attempts in a row
	said     string // the last failure that the history tells of
}

func (k *keeper) converse(ctx context.Context, s servers.Server) {
	c := &conversation{keeper: k, server: s, pauses: backoff.NewExponentialBackOff()}
	c.pauses.InitialInterval, c.pauses.MaxInterval = k.m.options.FirstPause, k.m.options.LastPause
	c.pauses.Multiplier = 2
	c.pauses.Reset()
	k.show(newState(servers.Connecting, ""))
	for c.goesOn(ctx) {
		link, err := c.dial(ctx)
		switch {
		case !c.goesOn(ctx):
			c.leave(link)
		case err != nil:
			c.failed(ctx, err)
		default:
			c.connected(ctx, link)
			c.attend(ctx, link)
			link.unguard()
		}
	}
	if state := k.state.Load(); !state.drained && ctx.Err() != nil {
		k.disconnected("", 0)
	}
}

func (c *conversation) goesOn(ctx context.Context) bool {
	return ctx.Err() == nil && c.still(c.server)
}

// drain forgets a signal.
func drain(c <-chan struct{}) {
	select {
	case <-c:
	default:
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// link is one session and what belongs to it.
type link struct {
	live    *Live
	peer    *peer
	since   time.Time
	unguard func() (stopped bool)
}

// newLink returns a session that is killed when the right to run its server is lost,
// whatever its keeper is busy with: from then on another replica may start the server.
func newLink(ctx context.Context, session Session, p *peer) *link {
	unguard := context.AfterFunc(ctx, func() {
		if killer, ok := session.(Killer); ok && errors.Is(context.Cause(ctx), errLost) {
			killer.Kill()
		}
	})
	return &link{newLive(session, p.passer), p, time.Now(), unguard}
}

type dialled struct {
	session Session
	err     error
}

// dial makes a session, unless the wish changes.
func (c *conversation) dial(ctx context.Context) (*link, error) {
	drain(c.hasty)
	target, err := c.m.seams.Expander.Expand(c.server)
	if err != nil {
		return nil, &hopeless{err}
	}
	dialling, cancel := context.WithTimeout(ctx, c.m.options.DialTimeout)
	defer cancel()
	p := newPeer(c.m.seams.Passers.Passer(c.server))
	done := make(chan dialled, 1)
	go func() { // joined below
		session, err := c.m.dialers[c.server.Transport].Dial(dialling, target, p)
		done <- dialled{session, err}
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
			return newLink(ctx, d.session, p), nil
		case <-c.woken:
			if !c.goesOn(ctx) {
				cancel()
			}
		}
	}
}

// hopeless is a failure that no further attempt mends.
type hopeless struct{ error }

// leave closes a session that nobody has used.
func (c *conversation) leave(l *link) {
	if l != nil {
		l.live.Close()
		l.unguard()
	}
}

// failed takes note of an attempt, and waits before the next one.
func (c *conversation) failed(ctx context.Context, err error) {
	c.failures++
	reason := err.Error()
	status := servers.Errored
	if c.before && c.failures < c.m.options.Patience {
		status = servers.Connecting
	}
	var events []servers.Event
	if reason != c.said {
		c.said = reason
		events = append(events, c.event(servers.Failed, reason))
		c.m.log.Warn("server not connected", slog.String("server", c.server.Name), slog.String("reason", reason))
	}
	before, state := c.state.Load(), newState(status, reason)
	pause := c.pauses.NextBackOff()
	if _, ok := err.(*hopeless); ok { //nolint:errorlint // made here, never wrapped
		pause = forever
	} else {
		state.Next = time.Now().Add(pause)
	}
	if before.Status != status || before.Reason != reason {
		c.show(state, events...)
	} else {
		c.replace(state) // nothing is new but when the next attempt is
	}
	if c.pause(ctx, c.server, pause) {
		c.pauses.Reset()
		c.said = ""
		c.show(newState(servers.Connecting, ""))
	}
}

const forever = 1 << 20 * time.Hour

// connected shows a new session, with its tools.
func (c *conversation) connected(ctx context.Context, l *link) {
	kind, details := servers.WasConnected, "connected"
	if c.before {
		kind, details = servers.Reconnected, "connected again"
	}
	c.before, c.failures, c.said = true, 0, ""
	tools, lacking := c.list(ctx, l, 0)
	c.m.log.Info("server connected", slog.String("server", c.server.Name), slog.Int("tools", tools))
	c.show(liveState(l.live, tools, lacking), c.event(kind, details))
}

func liveState(l *Live, tools int, lacking string) *State {
	status := servers.Connected
	if lacking != "" {
		status = servers.Degraded
	}
	state := newState(status, lacking)
	state.Live, state.tools = l, tools
	return state
}

// list has the tools listed, if they have changed.
func (c *conversation) list(ctx context.Context, l *link, tools int) (count int, lacking string) {
	definitions, fresh, lacking := l.peer.fetch()
	if !fresh {
		return tools, lacking
	}
	return c.m.seams.Tools.Set(ctx, c.id, definitions), lacking
}
