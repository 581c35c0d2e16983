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
	return map[servers.Transport]sessions.Dialer{
		servers.SSE:  &dialer{sse: true, log: log, options: options},
		servers.HTTP: &dialer{log: log, options: options},
	}
}

type dialer struct {
	sse     bool
	log     *slog.Logger
	options Options
}

// Dial implements [sessions.Dialer].
//
//nolint:contextcheck // a session outlives the context of the attempt
func (d *dialer) Dial(ctx context.Context, target sessions.Target, peer sessions.Peer) (sessions.Session, error) {
	s, err := newSession(d, target, peer)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, s.stop)
	tools, err := s.begin(ctx)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		err = s.explain(err)
		s.Close()
		return nil, err
	}
	peer.Tools(tools)
	s.spawn(s.relist)
	return s, nil
}
