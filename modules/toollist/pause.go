package toollist

import "time"

// Pauses between two readings of a list that changes while it is read.
const (
	firstPause = 10 * time.Millisecond
	warnPause  = time.Second
	lastPause  = 10 * time.Second
)

// Pause returns how long to wait after a reading that was preceded by the pause
// before, and whether the server has just come to be suspected of never leaving its
// list alone: one whose list changed while it was read is read more and more seldom.
func Pause(before time.Duration, changedMeanwhile bool) (pause time.Duration, suspect bool) {
	if changedMeanwhile {
		pause = min(max(2*before, firstPause), lastPause)
	}
	return pause, before < warnPause && pause >= warnPause
}
