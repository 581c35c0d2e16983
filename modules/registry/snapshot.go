package registry

import (
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// Entry is one prefixed tool.
type Entry struct {
	Name       string // public name towards clients that take any
	Canonical  string // key:tool, which may always be called
	Server     string // configuration key
	Own        string // the server's own name for it
	Tool       []byte // the same as raw JSON, as the server wrote it
	Definition []byte // raw JSON, carrying the public name

	name wire.Span // of the public name in Definition
}

// Snapshot is the immutable list of all tools at one moment.
type Snapshot struct {
	// Version grows with every change of the list.
	Version int64

	entries []*Entry // in the order of the file, then of the servers
	keys    Order
	plain   *View

	mu    sync.Mutex
	views map[string]*View // by the key of the client
}

func newSnapshot(version int64, keys Order, entries []*Entry) *Snapshot {
	return &Snapshot{
		Version: version, entries: entries, keys: keys,
		plain: newView(entries, keys, nil), views: make(map[string]*View),
	}
}

// Entries returns all tools in the order that the user sees.
func (s *Snapshot) Entries() []*Entry { return slices.Clone(s.entries) }

// View returns the tools as a client sees them.
func (s *Snapshot) View(n *Naming) *View {
	if n.rule == nil {
		return s.plain
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[n.rule.client]
	if v == nil {
		v = newView(s.entries, s.keys, n.rule)
		s.views[n.rule.client] = v
	}
	return v
}
