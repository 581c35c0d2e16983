package registry

import (
	"context"
	"slices"
)

// Subscription delivers the changes of a [ToolRegistry] to one follower. Its methods must
// be called from one goroutine.
type Subscription struct {
	registry *ToolRegistry
	changed  chan struct{}
	seen     *Snapshot
}

// Subscribe returns a subscription that ends with ctx. If the registry already has tools,
// Changed is signaled at once, and the first Next returns them as added.
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

// Changed is signaled after the snapshot has changed: once for any number of changes
// since the last receive or Next.
func (s *Subscription) Changed() <-chan struct{} { return s.changed }

// Next returns the current snapshot and its difference from the one that the previous
// Next returned.
func (s *Subscription) Next() (*Snapshot, Difference) {
	select {
	case <-s.changed: // the snapshot below includes the change
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

// Difference is how one snapshot differs from an earlier one. A server whose key has
// changed counts as another server with other tools.
type Difference struct {
	ServersAdded   []string // keys of servers that have tools now and had none
	ServersRemoved []string // keys of servers that had tools and have none now

	Added   []*Entry
	Removed []*Entry // the earlier entries
	Changed []*Entry // the new entries: same server and name, another [Entry.Hash]
}

// IsZero reports whether there is no difference but, perhaps, in order.
func (d *Difference) IsZero() bool {
	return len(d.ServersAdded)+len(d.ServersRemoved)+len(d.Added)+len(d.Removed)+len(d.Changed) == 0
}

// serverEntries are the tools of one server.
type serverEntries struct {
	key     string
	entries []*Entry
}

// groupByServer splits entries that are ordered by server.
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

// Since returns how s differs from an earlier snapshot. It compares only the servers
// whose entries were replaced in between.
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

// addServerChanges adds the differences between two lists of one server.
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
