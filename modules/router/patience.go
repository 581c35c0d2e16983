package router

import (
	"context"
	"errors"
	"time"
)

// patience is the time that one call may still wait. It does not pass while the call is
// with a server.
type patience struct{ left time.Duration }

var errImpatient = errors.New("waited long enough")

// wait waits for c. It returns an error when the time is up or ctx has ended.
func (p *patience) wait(ctx context.Context, c <-chan struct{}) error {
	began := time.Now()
	timer := time.NewTimer(p.left)
	defer timer.Stop()
	select {
	case <-c:
		p.left -= time.Since(began)
		return nil
	case <-timer.C:
		p.left = 0
		return errImpatient
	case <-ctx.Done():
		return ctx.Err()
	}
}
