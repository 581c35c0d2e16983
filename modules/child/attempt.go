package child

import (
	"context"
	"time"
)

// attempt is the way of one child to readiness: the handshake, the list of its
// tools, and the time both may take.
type attempt struct {
	phase  Phase // what a failure now is a failure of
	began  time.Time
	done   chan outcome
	warn   *time.Timer
	giveUp *time.Timer
}

type outcome struct {
	tools [][]byte // raw definitions
	err   error
}

func newAttempt() *attempt {
	return &attempt{
		phase: Startup,
		done:  make(chan outcome, 1),
		warn:  stoppedTimer(), giveUp: stoppedTimer(),
	}
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// start begins the attempt and returns its work, which reports to done.
func (a *attempt) start(ctx context.Context, l *connection, hello Introduction, options Options) func() {
	a.phase, a.began = Initialization, time.Now()
	a.warn.Reset(options.WarnAfter)
	a.giveUp.Reset(options.FailAfter)
	return func() {
		tools, err := l.handshake(ctx, hello)
		a.done <- outcome{tools, err}
	}
}

// ready ends the attempt and returns how long it took.
func (a *attempt) ready() time.Duration {
	a.phase = Runtime
	a.stopTimers()
	return time.Since(a.began)
}

func (a *attempt) stopTimers() {
	a.warn.Stop()
	a.giveUp.Stop()
}
