package sessions

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"mcp-aggregator/modules/servers"
)

// followSession handles the events of a session until it ends or is closed.
func (c *connectLoop) followSession(ctx context.Context, l *activeSession) {
	for {
		select {
		case <-l.live.Done():
			if ctx.Err() != nil { // the context may be the cause
				c.closeNow(ctx, l)
			} else {
				c.handleSessionEnd(ctx, l)
			}
			return
		case <-l.peer.changed:
			state := c.state.Load()
			tools, degraded := c.storeTools(ctx, l, state.tools)
			if tools != state.tools || degraded != state.Reason {
				c.setState(connectedState(l.live, tools, degraded))
			}
		case <-c.desiredChanged:
			if !c.stillDesired(c.server) {
				c.drainAndClose(ctx, l)
				return
			}
		case <-ctx.Done():
			c.closeNow(ctx, l)
			return
		}
	}
}

// stableDuration is how long a session must last to be reconnected without a pause.
const stableDuration = 10 * time.Second

// handleSessionEnd records a session that ended by itself. A session that did not last is
// reconnected after a pause.
func (c *connectLoop) handleSessionEnd(ctx context.Context, l *activeSession) {
	reason := "the session ended"
	if err := l.live.Err(); err != nil {
		reason = err.Error()
	}
	c.manager.log.Warn("server dropped", slog.String("server", c.server.Name), slog.String("reason", reason))
	pause := time.Duration(0)
	if time.Since(l.since) >= stableDuration {
		c.backOffs.Reset()
	} else {
		pause = c.backOffs.NextBackOff()
	}
	state := newState(servers.Connecting, reason)
	state.Next = time.Now().Add(pause)
	c.setState(state, c.newEvent(servers.EventDisconnected, reason))
	c.manager.deps.Tools.Hide(c.id)
	c.closeWhenIdle(l.live)
	if pause > 0 {
		c.backOff(ctx, c.server, pause)
	}
}

// closeWhenIdle closes a session that has ended by itself once it has no pending calls: a
// server over HTTP may still answer them. The next session does not wait for it.
func (c *connectLoop) closeWhenIdle(l *LiveSession) {
	idle := l.stopAccepting()
	if c.server.Transport == servers.Stdio || isClosed(idle) {
		l.Close()
		return
	}
	c.manager.startWorker(func(ctx context.Context) {
		timer := time.NewTimer(c.manager.options.DrainTime)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
		case <-ctx.Done():
		}
		l.Close()
	})
}

// closeNow closes a session without waiting for its pending calls.
func (c *connectLoop) closeNow(ctx context.Context, l *activeSession) {
	reason := "the service stopped"
	if errors.Is(context.Cause(ctx), errClaimLost) {
		reason = errClaimLost.Error()
	}
	l.live.stopAccepting()
	l.live.Close()
	c.setDisconnected("", 0, c.newEvent(servers.EventDisconnected, reason))
	c.manager.deps.Tools.Hide(c.id)
}

// drainAndClose closes a session that is no longer desired after its pending calls have
// ended or DrainTime has passed.
func (c *connectLoop) drainAndClose(ctx context.Context, l *activeSession) {
	status, reason := servers.Disconnected, "disconnected on request"
	if desired := c.desired.Load().server; desired != nil && desired.Wanted {
		status, reason = servers.Connecting, "its connection was changed"
	}
	c.manager.log.Info("server disconnected", slog.String("server", c.server.Name), slog.String("reason", reason))
	c.setState(newState(status, ""))
	c.manager.deps.Tools.Hide(c.id)
	pending := c.awaitPendingCalls(ctx, l.live)
	l.live.Close()
	event := c.newEvent(servers.EventDisconnected, reason)
	if status == servers.Disconnected {
		c.setDisconnected("", pending, event)
		return
	}
	c.setState(newState(status, ""), event)
}

// awaitPendingCalls waits until no call is pending or DrainTime has passed. It returns how
// many are still pending.
func (c *connectLoop) awaitPendingCalls(ctx context.Context, l *LiveSession) int {
	timer := time.NewTimer(c.manager.options.DrainTime)
	defer timer.Stop()
	select {
	case <-l.stopAccepting():
	case <-l.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
	return l.countPending()
}
