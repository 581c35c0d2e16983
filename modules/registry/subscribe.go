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
		s.signalChange()
	}
	context.AfterFunc(ctx, s.unsubscribe)
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

func (s *Subscription) signalChange() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *Subscription) unsubscribe() {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	s.registry.subscriptions = slices.DeleteFunc(s.registry.subscriptions, func(other *Subscription) bool { return other == s })
}

// Difference is how one snapshot differs from an earlier one. A server with another
// key is another server, and its tools are other tools.
type Difference struct {
	ServersAdded   []string // keys of servers that list tools and did not
	ServersRemoved []string // keys of servers that listed tools and do not

	Added   []*Entry
	Removed []*Entry // as they were
	Changed []*Entry // as they are: the same server and name, another [Entry.Hash]
}

// IsZero reports whether there is no difference. The order of the tools may still be
// another one.
func (d *Difference) IsZero() bool {
	return len(d.ServersAdded)+len(d.ServersRemoved)+len(d.Added)+len(d.Removed)+len(d.Changed) == 0
}

// serverEntries are the listed tools of one server.
type serverEntries struct {
	key     string
	entries []*Entry
}

// groupByServer groups entries that are in the order of their servers.
func groupByServer(entries []*Entry) (groups []serverEntries) {
	for len(entries) > 0 {
		key := entries[0].Server
		end := slices.IndexFunc(entries, func(e *Entry) bool { return e.Server != key })
		if end < 0 {
			end = len(entries)
		}
		groups = append(groups, serverEntries{key, entries[:end]})
		entries = entries[end:]
	}
	return groups
}

// Since returns how s differs from before. What it costs depends on the number of
// tools of the servers that have changed: the entries of the others are the same.
func (s *Snapshot) Since(before *Snapshot) (d Difference) {
	old := make(map[string][]*Entry)
	for _, group := range groupByServer(before.entries) {
		old[group.key] = group.entries
	}
	for _, group := range groupByServer(s.entries) {
		was, known := old[group.key]
		delete(old, group.key)
		if !known {
			d.ServersAdded = append(d.ServersAdded, group.key)
		}
		d.addServerChanges(was, group.entries)
	}
	for _, group := range groupByServer(before.entries) {
		if entries, gone := old[group.key]; gone {
			d.ServersRemoved = append(d.ServersRemoved, group.key)
			d.Removed = append(d.Removed, entries...)
		}
	}
	return d
}

// addServerChanges adds what has become of the tools of one server.
func (d *Difference) addServerChanges(before, after []*Entry) {
	if slices.Equal(before, after) {
		return
	}
	old := make(map[string]*Entry, len(before))
	for _, e := range before {
		old[e.OriginalName] = e
	}
	for _, e := range after {
		was, known := old[e.OriginalName]
		delete(old, e.OriginalName)
		switch {
		case !known:
			d.Added = append(d.Added, e)
		case was != e && was.Hash() != e.Hash():
			d.Changed = append(d.Changed, e)
		}
	}
	for _, e := range before {
		if _, gone := old[e.OriginalName]; gone {
			d.Removed = append(d.Removed, e)
		}
	}
}
