package mcpclient

import (
	"context"
	"log/slog"
	"time"
)

// Changes signals that the tool list of a server has changed since it was last read.
type Changes chan struct{}

// NewChanges returns Changes of one server.
func NewChanges() Changes { return make(Changes, 1) }

// Signal tells that the list has changed. It does not block.
func (c Changes) Signal() {
	select {
	case c <- struct{}{}:
	default: // the list is going to be read anyway
	}
}

// Relist calls read after changes until ctx ends. There is one reading at a time; changes
// during it, or in the pause after it, cause one more. The pauses get longer if the list
// changes each time it is read.
func Relist(ctx context.Context, changes Changes, log *slog.Logger, read func(ctx context.Context)) {
	var pauses pauses
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-changes:
		}
		read(ctx)
		next, suspect := pauses.after(time.Now())
		if suspect {
			log.Warn("tool list changes each time it is read: it is read less often")
		}
		pause.Reset(next)
	}
}

// Pauses between two readings of a list that changes again and again.
const (
	firstPause = 10 * time.Millisecond
	warnPause  = time.Second
	lastPause  = 10 * time.Second
	// burst is how many readings in a row may follow each other soon without a pause.
	burst = 3
)

// pauses lengthens the pause between the readings of one list that changes as soon as it
// was read.
type pauses struct {
	last  time.Time // the end of the last reading
	soon  int       // readings that followed another one soon, in a row
	pause time.Duration
}

// after returns how long to wait after a reading that ended now, and whether the pause
// has just become long enough to be worth a warning.
func (p *pauses) after(now time.Time) (pause time.Duration, suspect bool) {
	before := p.pause
	quiet := max(10*p.pause, time.Second)
	if p.last.IsZero() || now.Sub(p.last) >= quiet {
		p.soon, p.pause = 0, 0
	} else if p.soon++; p.soon >= burst {
		p.pause = min(max(2*p.pause, firstPause), lastPause)
	}
	p.last = now
	return p.pause, before < warnPause && p.pause >= warnPause
}
