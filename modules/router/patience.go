package router

import (
	"context"
	"errors"
	"time"
)

// patience is the time that one call may wait, all in all.
type patience struct {
	limit time.Duration
	timer *time.Timer // nil until it has to wait
}

var errImpatient = errors.New("waited long enough")

// wait waits for c. It returns an error when the time is up or ctx has ended.
func (p *patience) wait(ctx context.Context, c <-chan struct{}) error {
	if p.timer == nil {
		p.timer = time.NewTimer(p.limit)
	}
	select {
	case <-c:
		return nil
	case <-p.timer.C:
		p.timer.Reset(0) // it stays so
		return errImpatient
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *patience) end() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
