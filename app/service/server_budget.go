package service

import (
	"slices"
	"sync"
	"time"
)

// budget is how many bytes the bodies under way may hold together. The one that has held
// some for longest may go beyond it, so that bodies that hold all of it between them do
// not wait for each other in vain.
type budget struct {
	mu      sync.Mutex
	left    int64
	holders []*body       // in the order in which they came
	freed   chan struct{} // closed when some come back
}

func newBudget(size int64) *budget { return &budget{left: size, freed: make(chan struct{})} }

// take takes n bytes for a body, and waits for them as long as that. It reports whether
// it has them.
func (b *budget) take(holder *body, n int64, wait time.Duration) bool {
	freed, ok := b.try(holder, n)
	if ok {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !ok {
		select {
		case <-freed:
			freed, ok = b.try(holder, n)
		case <-timer.C:
			return false
		}
	}
	return true
}

func (b *budget) try(holder *body, n int64) (freed <-chan struct{}, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < n && (len(b.holders) == 0 || b.holders[0] != holder) {
		return b.freed, false
	}
	b.left -= n
	if !slices.Contains(b.holders, holder) {
		b.holders = append(b.holders, holder)
	}
	return nil, true
}

// give gives back the n bytes that a body holds.
func (b *budget) give(holder *body, n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	b.holders = slices.DeleteFunc(b.holders, func(other *body) bool { return other == holder })
	close(b.freed)
	b.freed = make(chan struct{})
}
