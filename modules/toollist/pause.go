package toollist

import "time"

// Pauses between two readings of a list that changes again and again.
const (
	firstPause = 10 * time.Millisecond
	warnPause  = time.Second
	lastPause  = 10 * time.Second
	// burst is how many readings in a row may follow each other soon without a pause.
	burst = 3
)

// Pauses are those between the readings of one list: one that changes as soon as it
// was read, again and again, is read more and more seldom. The zero value is ready.
type Pauses struct {
	last  time.Time // the end of the last reading
	soon  int       // readings that followed another one soon, in a row
	pause time.Duration
}

// After returns how long to wait after a reading that ended now, and whether the
// server has just come to be suspected of never leaving its list alone.
func (p *Pauses) After(now time.Time) (pause time.Duration, suspect bool) {
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
