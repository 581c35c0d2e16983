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

// pendingNotifications are the client's notifications to a child that has not been introduced
// to it yet, or not even spawned.
type pendingNotifications struct {
	mu    sync.Mutex
	send  func(parts ...[]byte) // nil until the child is introduced
	lines [][]byte
	size  int // bytes of them
}

// tell sends a notification of the client, once the child is introduced. One
// goroutine tells.
func (e *pendingNotifications) tell(line []byte) {
	if send := e.keep(line); send != nil {
		send(line)
	}
}

// keep keeps the line, unless it can be sent.
func (e *pendingNotifications) keep(line []byte) (send func(parts ...[]byte)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.send == nil && len(e.lines) < maxEarly && e.size+len(line) <= maxEarlyBytes {
		e.lines = append(e.lines, bytes.Clone(line))
		e.size += len(line)
	}
	return e.send
}

// introduced sends what the client has told meanwhile, and from now on all that
// it tells.
func (e *pendingNotifications) introduced(send func(parts ...[]byte)) {
	for lines := e.begin(send); len(lines) > 0; lines = e.begin(send) {
		for _, line := range lines {
			send(line)
		}
	}
}

// begin returns the lines to be sent first. When there are none, what the client
// tells is sent from now on.
func (e *pendingNotifications) begin(send func(parts ...[]byte)) (lines [][]byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if lines, e.lines, e.size = e.lines, nil, 0; len(lines) == 0 {
		e.send = send
	}
	return lines
}
