package remote

import (
	"context"
	"log/slog"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
)

// NewDialers returns the Dialers of the two transports that use HTTP: servers.SSE
// and servers.HTTP. What a server says that makes no sense is logged to log.
func NewDialers(log *slog.Logger, options Options) map[servers.Transport]sessions.Dialer {
	options = options.withDefaults()
	memory := newMemory(options.MaxReading)
	return map[servers.Transport]sessions.Dialer{
		servers.SSE:  &dialer{sse: true, log: log, options: options, memory: memory},
		servers.HTTP: &dialer{log: log, options: options, memory: memory},
	}
}

type dialer struct {
	sse     bool
	log     *slog.Logger
	options Options
	memory  *memory
}

// Dial implements [sessions.Dialer].
func (d *dialer) Dial(ctx context.Context, target sessions.Target, peer sessions.Peer) (sessions.Session, error) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx)) // the session outlives the attempt
	s, err := newSession(d, target, peer, stop)
	if err != nil {
		stop()
		return nil, err
	}
	s.addWorker(life)
	inTime := context.AfterFunc(ctx, func() { s.end(nil) })
	tools, err := s.begin(ctx, life)
	if !inTime() {
		err = ctx.Err()
	}
	if err != nil {
		err = s.explain(err)
		s.Close()
		return nil, err
	}
	peer.Tools(tools)
	s.do(func(ctx context.Context, _ *worker) { s.relist(ctx) })
	return s, nil
}
