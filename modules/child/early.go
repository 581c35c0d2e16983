package child

import (
	"bytes"
	"sync"
)

// Bounds of the notifications kept for a child that is not introduced.
const (
	maxEarly      = 1024
	maxEarlyBytes = 16 << 20
)

// early are the client's notifications to a child that has not been introduced
// to it yet, or not even spawned.
type early struct {
	mu    sync.Mutex
	send  func(parts ...[]byte) // nil until the child is introduced
	lines [][]byte
	size  int // bytes of them
}

// tell sends a notification of the client, once the child is introduced.
func (e *early) tell(line []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.send != nil {
		e.send(line)
	} else if len(e.lines) < maxEarly && e.size+len(line) <= maxEarlyBytes {
		e.lines = append(e.lines, bytes.Clone(line))
		e.size += len(line)
	}
}

// introduced sends what the client has told meanwhile, and from now on all that
// it tells.
func (e *early) introduced(send func(parts ...[]byte)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, line := range e.lines {
		send(line)
	}
	e.send, e.lines = send, nil
}
