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

// Options are what sessions over HTTP keep to. The zero value means the defaults.
type Options struct {
	Version    string // of this program, as servers are told; default "unknown"
	MaxMessage int    // bytes of one message; default wire.DefaultMaxLine
	// MaxReading is the most bytes that the large messages, those of more than 64 KiB, may
	// take that all sessions are reading; default twice MaxMessage.
	MaxReading int
	ListAfter  time.Duration // a changed tool list is not waited for any longer; default 60 s
	PostAfter  time.Duration // nor is a server that does not take an answer or a cancellation; default 30 s
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
