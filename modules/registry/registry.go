package registry

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Order holds the configuration keys in the order of the file.
type Order []string

// ToolRegistry maps public tool names to servers and their tools.
type ToolRegistry struct {
	separator Separator
	filter    Filter
	log       *slog.Logger

	mu       sync.Mutex // serialises writers
	order    Order
	byServer map[string][]*Entry
	hidden   map[string][]string // by server, canonical names
	current  atomic.Pointer[Snapshot]

	subscriptions []*Subscription
}

// NewToolRegistry returns an empty registry of the servers named in order.
// It lists the tools that pass the filter.
func NewToolRegistry(order Order, separator Separator, filter Filter, log *slog.Logger) *ToolRegistry {
	r := &ToolRegistry{
		order: order, separator: separator, filter: filter, log: log,
		byServer: make(map[string][]*Entry),
		hidden:   make(map[string][]string),
	}
	r.current.Store(newSnapshot(0, order, nil))
	return r
}

// Snapshot returns the tools as they are now.
func (r *ToolRegistry) Snapshot() *Snapshot { return r.current.Load() }

// ReplaceTools replaces the tools of the server with that key by definitions, the raw
// elements of its tools/list, and returns how many of them are listed. A tool
// that cannot be listed costs a warning and itself only.
func (r *ToolRegistry) ReplaceTools(key string, definitions [][]byte) int {
	w := &limitedLog{log: r.log, server: key}
	defer w.logSuppressed()
	entries := make([]*Entry, 0, len(definitions))
	var hidden []string
	for i, definition := range definitions {
		entry, err := r.separator.newEntry(key, definition)
		if err != nil {
			w.warn("tool left out", slog.String("server", key), slog.Int("position", i), slog.String("reason", err.Error()))
			continue
		}
		if !r.filter.allows(entry.Canonical) {
			hidden = append(hidden, entry.Canonical)
			continue
		}
		entries = append(entries, entry)
	}
	r.setHidden(key, hidden)
	return r.replaceEntries(key, entries, w)
}

// RemoveTools forgets the tools of the server with that key.
func (r *ToolRegistry) RemoveTools(key string) {
	r.setHidden(key, nil)
	r.replaceEntries(key, nil, &limitedLog{log: r.log, server: key})
}

// HiddenNames returns the canonical names of the tools that the filter hides, in the
// order in which they would be listed.
func (r *ToolRegistry) HiddenNames() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range r.order {
		names = append(names, r.hidden[key]...)
	}
	return names
}

func (r *ToolRegistry) setHidden(key string, names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hidden[key] = names
}

// SetOrder replaces the order of the servers, where they come and go. The tools of
// those that are not in it are forgotten.
func (r *ToolRegistry) SetOrder(order Order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.setOrderLocked(slices.Clone(order))
	r.publishLocked()
}

func (r *ToolRegistry) setOrderLocked(order Order) {
	r.order = order
	for key := range r.byServer {
		if !slices.Contains(order, key) {
			delete(r.byServer, key)
			delete(r.hidden, key)
		}
	}
}

// RenameServer gives the server with the key old another one, and its tools new names, all
// at once.
func (r *ToolRegistry) RenameServer(old, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	order := slices.Clone(r.order)
	if i := slices.Index(order, old); i >= 0 {
		order[i] = key
	}
	var renamed []*Entry
	for _, e := range r.byServer[old] {
		if entry, err := r.separator.newEntry(key, e.originalDefinition()); err == nil {
			renamed = append(renamed, entry)
		}
	}
	r.setOrderLocked(order)
	r.byServer[key] = renamed
	r.publishLocked()
}

func (r *ToolRegistry) replaceEntries(key string, entries []*Entry, w *limitedLog) int {
	next, clashes := r.storeEntries(key, entries)
	for _, c := range clashes {
		if key == c.first.Server || key == c.second.Server { // the others were warned about before
			w.warn("tool left out: its name is taken", slog.String("name", truncateName(c.first.Name)),
				slog.String("kept", describeEntry(c.first)), slog.String("left_out", describeEntry(c.second)))
		}
	}
	return countTools(next, key)
}

// storeEntries publishes the next snapshot. The lock is held: it logs nothing.
func (r *ToolRegistry) storeEntries(key string, entries []*Entry) (*Snapshot, []nameConflict) {
	r.mu.Lock()
	defer r.mu.Unlock()
	current := r.current.Load()
	if len(entries) == 0 && len(r.byServer[key]) == 0 {
		return current, nil
	}
	r.byServer[key] = entries
	return r.publishLocked()
}

// publishLocked makes the next snapshot of what there is; the lock is held.
func (r *ToolRegistry) publishLocked() (*Snapshot, []nameConflict) {
	merged, clashes := r.mergeEntries()
	next := newSnapshot(r.current.Load().Version+1, r.order, merged)
	r.current.Store(next)
	for _, s := range r.subscriptions {
		s.signalChange()
	}
	return next, clashes
}

// nameConflict is two tools with one public name.
type nameConflict struct{ first, second *Entry }

// mergeEntries lists all servers' tools in order. Of two tools with one public name
// the first stays.
func (r *ToolRegistry) mergeEntries() (merged []*Entry, clashes []nameConflict) {
	owner := make(map[string]*Entry)
	for _, key := range r.order {
		for _, entry := range r.byServer[key] {
			if first, taken := owner[entry.Name]; taken {
				clashes = append(clashes, nameConflict{first, entry})
				continue
			}
			owner[entry.Name] = entry
			merged = append(merged, entry)
		}
	}
	return merged, clashes
}

func describeEntry(e *Entry) string {
	return fmt.Sprintf("%s of server %q", truncateName(string(e.RawName)), e.Server)
}

// truncateName cuts a name that is too long for a message.
func truncateName(name string) string {
	const most = 300 // bytes
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "..."
}

func countTools(s *Snapshot, key string) int {
	n := 0
	for _, e := range s.entries {
		if e.Server == key {
			n++
		}
	}
	return n
}

// maxWarnings bounds what one list of one server may have us say of its tools.
const maxWarnings = 3

// limitedLog are those about one list; beyond a few they are only counted.
type limitedLog struct {
	log    *slog.Logger
	server string
	count  int
}

func (w *limitedLog) warn(message string, attrs ...any) {
	if w.count++; w.count <= maxWarnings {
		w.log.Warn(message, attrs...) //nolint:sloglint // the callers' messages are constants
	}
}

// logSuppressed tells how many there were beyond those shown.
func (w *limitedLog) logSuppressed() {
	if more := w.count - maxWarnings; more > 0 {
		w.log.Warn("more tools left out", slog.String("server", w.server), slog.Int("count", more))
	}
}
