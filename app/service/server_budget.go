package service

import (
	"sync"
	"time"
)

// budget is how many bytes may still be taken.
type budget struct {
	mu    sync.Mutex
	left  int64
	freed chan struct{} // closed when some come back
}

func newBudget(size int64) *budget { return &budget{left: size, freed: make(chan struct{})} }

// take takes n bytes, and waits for them as long as that. It reports whether it has
// them.
func (b *budget) take(n int64, wait time.Duration) bool {
	freed, ok := b.try(n)
	if ok {
		return true
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for !ok {
		select {
		case <-freed:
			freed, ok = b.try(n)
		case <-timer.C:
			return false
		}
	}
	return true
}

func (b *budget) try(n int64) (freed <-chan struct{}, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < n {
		return b.freed, false
	}
	b.left -= n
	return nil, true
}

func (b *budget) give(n int64) {
	if n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
	close(b.freed)
	b.freed = make(chan struct{})
}
