package registry

import (
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// Snapshot is the immutable list of all tools at one moment.
type Snapshot struct {
	// Version grows with every change of the list.
	Version int64

	entries   []*Entry // in the order of the file, then of the servers
	keys      Order
	unaliased *View

	mu    sync.Mutex
	views map[string]*View // by the key of the client
}

func newSnapshot(version int64, keys Order, entries []*Entry) *Snapshot {
	return &Snapshot{
		Version: version, entries: entries, keys: keys,
		unaliased: newView(entries, keys, nil), views: make(map[string]*View),
	}
}

// Entries returns all tools in the order that the user sees.
func (s *Snapshot) Entries() []*Entry { return slices.Clone(s.entries) }

// View returns the tools as a client sees them.
func (s *Snapshot) View(n *Naming) *View {
	if n.aliasRule == nil {
		return s.unaliased
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[n.aliasRule.client]
	if v == nil {
		v = newView(s.entries, s.keys, n.aliasRule)
		s.views[n.aliasRule.client] = v
	}
	return v
}

// View is the list of all tools at one moment, under the names that one client
// sees.
type View struct {
	entries   []*Entry
	aliases   []string // nil when the client sees Entry.Name
	byName    map[string]*Entry
	toolsJSON func() []byte
}

// newView returns the view of a client with that rule; nil is one that takes any
// name. The keys are those of all servers.
func newView(entries []*Entry, keys Order, rule *aliasRule) *View {
	v := &View{entries: entries, byName: make(map[string]*Entry, len(entries))}
	if rule != nil {
		v.aliases = rule.aliases(entries, keys)
	}
	for i, e := range entries {
		v.byName[v.clientName(i)] = e
	}
	for _, e := range entries {
		if _, taken := v.byName[e.Canonical]; !taken {
			v.byName[e.Canonical] = e
		}
	}
	v.toolsJSON = sync.OnceValue(v.renderJSON)
	return v
}

func (v *View) clientName(i int) string {
	if v.aliases == nil {
		return v.entries[i].Name
	}
	return v.aliases[i]
}

// Lookup returns the tool with that name, the client's or the canonical one.
func (v *View) Lookup(name []byte) (*Entry, bool) {
	e, ok := v.byName[string(name)]
	return e, ok
}

// Names returns the names that the client sees, in the order of the list.
func (v *View) Names() []string {
	names := slices.Clone(v.aliases)
	for i := len(names); i < len(v.entries); i++ {
		names = append(names, v.clientName(i))
	}
	return names
}

// Nearest returns the names that the client sees of the tools that it perhaps means by
// one that no tool has.
func (v *View) Nearest(name string) []string {
	return Nearest(name, func(yield func(NamedTool) bool) {
		for i, e := range v.entries {
			if !yield(NamedTool{v.clientName(i), e.OriginalName}) {
				return
			}
		}
	})
}

// ToolsJSON returns the JSON array of all definitions. It must not be changed.
func (v *View) ToolsJSON() []byte { return v.toolsJSON() }

func (v *View) renderJSON() []byte {
	size := 2
	for _, e := range v.entries {
		size += len(e.Definition) + 1
	}
	list := append(make([]byte, 0, size), '[')
	for i, e := range v.entries {
		if i > 0 {
			list = append(list, ',')
		}
		if v.aliases == nil {
			list = append(list, e.Definition...)
			continue
		}
		list = append(list, e.Definition[:e.nameSpan.Start]...)
		list = wire.AppendQuoted(list, v.aliases[i])
		list = append(list, e.Definition[e.nameSpan.End:]...)
	}
	return append(list, ']')
}
