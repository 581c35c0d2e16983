package remote

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"mcp-aggregator/modules/servers"
	"mcp-aggregator/modules/sessions"
	"mcp-aggregator/modules/wire"
)

// NewDialers returns the Dialers of the two transports that use HTTP: servers.SSE
// and servers.HTTP. Malformed messages of servers are logged to log.
func NewDialers(log *slog.Logger, options Options) map[servers.Transport]sessions.Dialer {
	options = options.withDefaults()
	budget := newReadBudget(options.MaxReading)
	return map[servers.Transport]sessions.Dialer{
		servers.SSE:  &httpDialer{sse: true, log: log, options: options, budget: budget},
		servers.HTTP: &httpDialer{log: log, options: options, budget: budget},
	}
}

type httpDialer struct {
	sse     bool
	log     *slog.Logger
	options Options
	budget  *readBudget
}

// Dial implements [sessions.Dialer].
func (d *httpDialer) Dial(ctx context.Context, target sessions.Target, peer sessions.Peer) (sessions.Session, error) {
	life, stop := context.WithCancel(context.WithoutCancel(ctx)) // the session outlives the attempt
	s, err := newSession(d, target, peer, stop)
	if err != nil {
		stop()
		return nil, err
	}
	s.addWorker(life)
	inTime := context.AfterFunc(ctx, func() { s.endSession(nil) })
	tools, err := s.initialize(ctx, life)
	if !inTime() {
		err = ctx.Err()
	}
	if err != nil {
		err = s.dialError(err)
		s.Close()
		return nil, err
	}
	peer.Tools(tools)
	s.submit(func(ctx context.Context, _ *worker) { s.relist(ctx) })
	return s, nil
}

// Options are the bounds of sessions over HTTP. The zero value means the defaults.
type Options struct {
	Version    string // of this program, for servers; default "unknown"
	MaxMessage int    // bytes of one message; default wire.DefaultMaxLine
	// MaxReading is how many bytes the large messages, those of more than 64 KiB, that all
	// sessions are reading may take together; default twice MaxMessage.
	MaxReading int
	ListAfter  time.Duration // upper bound of reading a changed tool list; default 60 s
	PostAfter  time.Duration // upper bound of sending a response or a notification; default 30 s
	CloseAfter time.Duration // upper bound of Close; default 6 s
}

func (o Options) withDefaults() Options {
	maxMessage := cmp.Or(o.MaxMessage, wire.DefaultMaxLine)
	return Options{
		Version:    cmp.Or(o.Version, "unknown"),
		MaxMessage: maxMessage,
		MaxReading: cmp.Or(o.MaxReading, 2*maxMessage),
		ListAfter:  cmp.Or(o.ListAfter, 60*time.Second),
		PostAfter:  cmp.Or(o.PostAfter, 30*time.Second),
		CloseAfter: cmp.Or(o.CloseAfter, 6*time.Second),
	}
}
