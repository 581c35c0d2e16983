package registry

import (
	"context"
	"slices"
)

// Subscription is the changes of a [ToolRegistry] as one follower sees them. Its
// methods are for one goroutine.
type Subscription struct {
	registry *ToolRegistry
	changed  chan struct{}
	seen     *Snapshot
}

// Subscribe returns a subscription that ends with ctx. A registry that has tools by
// then is a change to it: the first Next returns them all as added.
func (r *ToolRegistry) Subscribe(ctx context.Context) *Subscription {
	s := &Subscription{registry: r, changed: make(chan struct{}, 1), seen: newSnapshot(0, nil, nil)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscriptions = append(r.subscriptions, s)
	if len(r.current.Load().entries) > 0 {
		s.signal()
	}
	context.AfterFunc(ctx, s.end)
	return s
}

// Changed receives after the snapshot has changed, once for any number of changes
// since the last receive or Next.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Next returns the newest snapshot, and how it differs from the one that the last Next
// returned.
func (s *Subscription) Next() (*Snapshot, Difference) {
	select {
	case <-s.changed: // seen now
	default:
	}
	before := s.seen
	s.seen = s.registry.Snapshot()
	return s.seen, s.seen.Since(before)
}

func (s *Subscription) signal() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *Subscription) end() {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	s.registry.subscriptions = slices.DeleteFunc(s.registry.subscriptions, func(other *Subscription) bool { return other == s })
}
