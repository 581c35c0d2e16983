package registry

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Order holds the configuration keys of the servers, in the order of the file.
type Order []string

// ToolRegistry holds the tools of all servers and publishes them as immutable snapshots.
type ToolRegistry struct {
	separator Separator
	filter    Filter
	log       *slog.Logger

	mu       sync.Mutex // serializes writers
	order    Order
	byServer map[string][]*Entry
	hidden   map[string][]string // canonical names, by server
	current  atomic.Pointer[Snapshot]

	subscriptions []*Subscription
}

// NewToolRegistry returns an empty registry of the servers in order. It lists the tools
// that the filter selects.
func NewToolRegistry(order Order, separator Separator, filter Filter, log *slog.Logger) *ToolRegistry {
	r := &ToolRegistry{
		order: order, separator: separator, filter: filter, log: log,
		byServer: make(map[string][]*Entry),
		hidden:   make(map[string][]string),
	}
	r.current.Store(newSnapshot(0, order, nil))
	return r
}

// Snapshot returns the current tools.
func (r *ToolRegistry) Snapshot() *Snapshot { return r.current.Load() }

// ReplaceTools replaces the tools of the server with that key and returns how many of
// them are listed. Definitions are the raw elements of its tools/list. A malformed
// definition, or one whose name is taken, is left out with a warning.
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
		if !r.filter.Selects(entry.Server, entry.Canonical) {
			hidden = append(hidden, entry.Canonical)
			continue
		}
		entries = append(entries, entry)
	}
	r.setHidden(key, hidden)
	return r.replaceEntries(key, entries, w)
}

// RemoveTools removes the tools of the server with that key.
func (r *ToolRegistry) RemoveTools(key string) {
	r.setHidden(key, nil)
	r.replaceEntries(key, nil, &limitedLog{log: r.log, server: key})
}

// HiddenNames returns the canonical names of the tools that the filter excludes, in list
// order.
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

// SetOrder replaces the order of the servers. It removes the tools of servers that are
// not in the new order.
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

// RenameServer changes a server's key, and with it the names of its tools, in one
// snapshot.
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
	next, conflicts := r.storeEntries(key, entries)
	for _, c := range conflicts {
		if key == c.first.Server || key == c.second.Server { // other conflicts have been logged before
			w.warn("tool left out: its name is taken", slog.String("name", truncateName(c.first.Name)),
				slog.String("kept", describeEntry(c.first)), slog.String("left_out", describeEntry(c.second)))
		}
	}
	return countTools(next, key)
}

// storeEntries replaces a server's entries and publishes a snapshot, unless there were
// and are none. It returns the conflicts, to be logged without the lock.
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

// publishLocked publishes a snapshot of the current entries.
func (r *ToolRegistry) publishLocked() (*Snapshot, []nameConflict) {
	merged, conflicts := r.mergeEntries()
	next := newSnapshot(r.current.Load().Version+1, r.order, merged)
	r.current.Store(next)
	for _, s := range r.subscriptions {
		s.signalChange()
	}
	return next, conflicts
}

// nameConflict is two tools with the same public name.
type nameConflict struct{ first, second *Entry }

// mergeEntries lists the tools of all servers in order. Of tools with the same public
// name, the first is listed.
func (r *ToolRegistry) mergeEntries() (merged []*Entry, conflicts []nameConflict) {
	owner := make(map[string]*Entry)
	for _, key := range r.order {
		for _, entry := range r.byServer[key] {
			if first, taken := owner[entry.Name]; taken {
				conflicts = append(conflicts, nameConflict{first, entry})
				continue
			}
			owner[entry.Name] = entry
			merged = append(merged, entry)
		}
	}
	return merged, conflicts
}

func describeEntry(e *Entry) string {
	return fmt.Sprintf("%s of server %q", truncateName(string(e.RawName)), e.Server)
}

// truncateName shortens a name for a message.
func truncateName(name string) string {
	const maxLen = 300 // bytes
	if len(name) <= maxLen {
		return name
	}
	return strings.ToValidUTF8(name[:maxLen], "") + "..."
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

// maxWarnings bounds the warnings about one tools/list.
const maxWarnings = 3

// limitedLog logs the first few warnings about one tools/list and counts the others.
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

// logSuppressed logs how many warnings were suppressed.
func (w *limitedLog) logSuppressed() {
	if more := w.count - maxWarnings; more > 0 {
		w.log.Warn("more tools left out", slog.String("server", w.server), slog.Int("count", more))
	}
}
