package child

import (
	"cmp"
	"time"

	"mcp-aggregator/modules/wire"
)

// Options are the bounds a Manager keeps. The zero value means the defaults.
type Options struct {
	WarnAfter  time.Duration // a child not ready after this is warned about; default 15 s
	FailAfter  time.Duration // a child not ready after this has failed; default 60 s
	Grace      time.Duration // wait after closing stdin, and again after SIGTERM; default 2 s
	StopBudget time.Duration // upper bound of Stop; default 8 s
	MaxMessage int           // bytes of one message; default wire.DefaultMaxLine
	MaxQueue   int           // bytes waiting for a child that does not read; default 64 MiB
	Quiet      bool          // what becomes of a child is for whoever reads its Status: it is not logged
}

func (o Options) withDefaults() Options {
	return Options{
		WarnAfter:  cmp.Or(o.WarnAfter, 15*time.Second),
		FailAfter:  cmp.Or(o.FailAfter, 60*time.Second),
		Grace:      cmp.Or(o.Grace, 2*time.Second),
		StopBudget: cmp.Or(o.StopBudget, 8*time.Second),
		MaxMessage: cmp.Or(o.MaxMessage, wire.DefaultMaxLine),
		MaxQueue:   cmp.Or(o.MaxQueue, 64<<20),
		Quiet:      o.Quiet,
	}
}
