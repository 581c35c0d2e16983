package sessions

import (
	"cmp"
	"time"
)

// Options of the SessionManager. The zero value means the defaults.
type Options struct {
	DialTimeout time.Duration // of one attempt to connect; default 60 s
	DrainTime   time.Duration // longest wait for pending calls of a disconnect; default 30 s
	FirstPause  time.Duration // between two attempts; default 500 ms, doubled each time
	LastPause   time.Duration // longest pause; default 60 s
	// MaxFailures is how many attempts to reconnect in a row fail before the server is
	// Errored, and calls do not wait for it any more; default 5.
	MaxFailures int
	// ClaimPause is between two attempts to take over a server that another replica
	// runs; default 1 s.
	ClaimPause time.Duration
}

func (o Options) withDefaults() Options {
	return Options{
		DialTimeout: cmp.Or(o.DialTimeout, 60*time.Second),
		DrainTime:   cmp.Or(o.DrainTime, 30*time.Second),
		FirstPause:  cmp.Or(o.FirstPause, 500*time.Millisecond),
		LastPause:   cmp.Or(o.LastPause, 60*time.Second),
		MaxFailures: cmp.Or(o.MaxFailures, 5),
		ClaimPause:  cmp.Or(o.ClaimPause, time.Second),
	}
}
