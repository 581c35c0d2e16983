package child

import (
	"bytes"
	"sync"
)

// maxEarly bounds the notifications kept for a child that is not introduced.
const maxEarly = 1024

// early are the client's notifications to a child that has not been introduced
// to it yet.
type early struct {
	mu         sync.Mutex
	introduced bool
	lines      [][]byte
}

// tell sends a notification of the client, once the child is introduced.
func (l *link) tell(line []byte) {
	l.early.mu.Lock()
	defer l.early.mu.Unlock()
	if l.early.introduced {
		l.Send(line)
	} else if len(l.early.lines) < maxEarly {
		l.early.lines = append(l.early.lines, bytes.Clone(line))
	}
}

// introduced sends what the client has told meanwhile.
func (l *link) introduced() {
	l.early.mu.Lock()
	defer l.early.mu.Unlock()
	for _, line := range l.early.lines {
		l.Send(line)
	}
	l.early.introduced, l.early.lines = true, nil
}
