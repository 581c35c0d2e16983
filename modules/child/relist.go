package child

import "context"

// relist reads the tools of a running child again.
type relist struct{ done chan outcome }

// start returns the work, which reports to done.
func (r *relist) start(ctx context.Context, l *link, options Options) func() {
	return func() {
		ctx, cancel := context.WithTimeout(ctx, options.FailAfter)
		defer cancel()
		tools, err := l.listTools(ctx)
		r.done <- outcome{tools, err}
	}
}
