package remote

import (
	"cmp"
	"time"

	"mcp-aggregator/modules/wire"
)

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
