package toolsearch

import (
	"context"
	"sync"
)

// progress is which version of the registry is indexed.
type progress struct {
	mu      sync.Mutex
	version int64
	moved   chan struct{} // closed when the version changes
}

func newProgress() *progress { return &progress{moved: make(chan struct{})} }

func (p *progress) set(version int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = version
	close(p.moved)
	p.moved = make(chan struct{})
}

// reached reports whether that version, or a later one, is indexed, and returns what is
// closed when another one is.
func (p *progress) reached(version int64) (bool, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version >= version, p.moved
}

// Await waits until a snapshot of that version, or a later one, is indexed. It returns
// early when ctx or the follower ends.
func (f *Follower) Await(ctx context.Context, version int64) {
	for {
		reached, moved := f.progress.reached(version)
		if reached {
			return
		}
		select {
		case <-moved:
		case <-f.done:
			return
		case <-ctx.Done():
			return
		}
	}
}
