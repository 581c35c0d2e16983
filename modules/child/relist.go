package child

import (
	"context"
	"time"

	"mcp-aggregator/modules/toollist"
)

// relist reads the tools of a running child again.
type relist struct {
	done   chan outcome
	again  *time.Timer // when it may be read again
	pauses toollist.Pauses
}

func newRelist() *relist { return &relist{done: make(chan outcome, 1), again: stoppedTimer()} }

// rest sets again after one reading; it reports whether the child has just
// come to be suspected of never leaving its list alone.
func (r *relist) rest() (suspect bool) {
	pause, suspect := r.pauses.After(time.Now())
	r.again.Reset(pause)
	return suspect
}

// start returns the work, which reports to done.
func (r *relist) start(ctx context.Context, l *connection, options Options) func() {
	return func() {
		ctx, cancel := context.WithTimeout(ctx, options.FailAfter)
		defer cancel()
		tools, err := l.listTools(ctx)
		r.done <- outcome{tools, err}
	}
}
