package sessions

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mcp-aggregator/modules/servers"
)

// attend stays with a session until it ends or has to.
func (c *conversation) attend(ctx context.Context, l *link) {
	for {
		select {
		case <-l.live.Done():
			if ctx.Err() != nil { // which may be why
				c.end(ctx, l)
			} else {
				c.dropped(ctx, l)
			}
			return
		case <-l.peer.news:
			state := c.state.Load()
			tools, lacking := c.list(ctx, l, state.tools)
			if tools != state.tools || lacking != state.Reason {
				c.show(liveState(l.live, tools, lacking))
			}
		case <-c.woken:
			if !c.still(c.server) {
				c.part(ctx, l)
				return
			}
		case <-ctx.Done():
			c.end(ctx, l)
			return
		}
	}
}

// steady is how long a session lasts that is followed by the next without a pause.
const steady = 10 * time.Second

// dropped takes note of a session that ended by itself. One that did not last is not
// followed by the next at once.
func (c *conversation) dropped(ctx context.Context, l *link) {
	reason := "the session ended"
	if err := l.live.Err(); err != nil {
		reason = err.Error()
	}
	c.m.log.Warn("server dropped", slog.String("server", c.server.Name), slog.String("reason", reason))
	pause := time.Duration(0)
	if time.Since(l.since) >= steady {
		c.pauses.Reset()
	} else {
		pause = c.pauses.NextBackOff()
	}
	state := newState(servers.Connecting, reason)
	state.Next = time.Now().Add(pause)
	c.show(state, c.event(servers.WasDisconnected, reason))
	c.m.seams.Tools.Hide(c.id)
	c.abandon(l.live)
	if pause > 0 {
		c.pause(ctx, c.server, pause)
	}
}

// abandon closes a session that has ended by itself, once nothing is open in it: a
// server over HTTP may still answer what it has taken. The next one does not wait.
func (c *conversation) abandon(l *Live) {
	idle := l.refuse()
	if c.server.Transport == servers.Stdio || closed(idle) {
		l.Close()
		return
	}
	c.m.begin(func(ctx context.Context) {
		timer := time.NewTimer(c.m.options.DrainTime)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
		case <-ctx.Done():
		}
		l.Close()
	})
}

// end closes a session at once, before anything else: nobody is waited for.
func (c *conversation) end(ctx context.Context, l *link) {
	reason := "the service stopped"
	if errors.Is(context.Cause(ctx), errLost) {
		reason = errLost.Error()
	}
	l.live.refuse()
	l.live.Close()
	c.disconnected("", 0, c.event(servers.WasDisconnected, reason))
	c.m.seams.Tools.Hide(c.id)
}

// part closes a session that is not wanted any more, or not as it is, when its
// pending calls have ended or it takes them too long.
func (c *conversation) part(ctx context.Context, l *link) {
	status, reason := servers.Disconnected, "disconnected on request"
	if wished := c.wished.Load().server; wished != nil && wished.Wanted {
		status, reason = servers.Connecting, "its connection was changed"
	}
	c.m.log.Info("server disconnected", slog.String("server", c.server.Name), slog.String("reason", reason))
	c.show(newState(status, ""))
	c.m.seams.Tools.Hide(c.id)
	pending := c.awaitCalls(ctx, l.live)
	l.live.Close()
	event := c.event(servers.WasDisconnected, reason)
	if status == servers.Disconnected {
		c.disconnected("", pending, event)
		return
	}
	c.show(newState(status, ""), event)
}

// awaitCalls waits until no call is open, for a while. It returns how many still are.
func (c *conversation) awaitCalls(ctx context.Context, l *Live) int {
	timer := time.NewTimer(c.m.options.DrainTime)
	defer timer.Stop()
	select {
	case <-l.refuse():
	case <-l.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
	return l.pending()
}
