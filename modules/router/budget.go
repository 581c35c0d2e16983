package router

import (
	"context"
	"errors"
	"time"

	"mcp-aggregator/modules/servers"
)

// waitBudget is the time that one call may still wait. It does not pass while the call is
// with a server.
type waitBudget struct{ left time.Duration }

var errWaitedTooLong = errors.New("waited long enough")

// wait waits for c. It returns an error when the time is up, ctx has ended, or the
// service is stopping, as over tells.
func (p *waitBudget) wait(ctx context.Context, c, over <-chan struct{}) error {
	began := time.Now()
	timer := time.NewTimer(p.left)
	defer timer.Stop()
	select {
	case <-c:
		p.left -= time.Since(began)
		return nil
	case <-timer.C:
		p.left = 0
		return errWaitedTooLong
	case <-over:
		return servers.ErrStopping
	case <-ctx.Done():
		return ctx.Err()
	}
}
