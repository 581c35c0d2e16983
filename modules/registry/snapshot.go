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
	unaliased *View // of all tools

	mu    sync.Mutex
	views map[string]*View // by Naming.viewKey
}

func newSnapshot(version int64, keys Order, entries []*Entry) *Snapshot {
	return &Snapshot{
		Version: version, entries: entries, keys: keys,
		unaliased: newView(entries, keys, &Naming{}), views: make(map[string]*View),
	}
}

// Entries returns all tools in the order that the user sees.
func (s *Snapshot) Entries() []*Entry { return slices.Clone(s.entries) }

// View returns the tools as a client with that naming sees them. A view is made once
// a snapshot, when it is first asked for.
func (s *Snapshot) View(n *Naming) *View {
	if n.viewKey == "" {
		return s.unaliased
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.views[n.viewKey]
	if v == nil {
		v = newView(s.entries, s.keys, n)
		s.views[n.viewKey] = v
	}
	return v
}

// View is what one client sees of a [Snapshot]: the tools that pass its filter, under
// the names that it accepts.
type View struct {
	entries   []*Entry
	aliases   []string // nil when the client sees Entry.Name
	byName    map[string]*Entry
	toolsJSON func() []byte
}

// newView returns the view for a naming. The keys are those of all servers.
func newView(entries []*Entry, keys Order, n *Naming) *View {
	v := &View{entries: entries}
	if n.aliasRule != nil {
		v.aliases = n.aliasRule.aliases(entries, keys)
	}
	v.applyFilter(n.filter)
	v.byName = make(map[string]*Entry, len(v.entries))
	for i, e := range v.entries {
		v.byName[v.clientName(i)] = e
	}
	for _, e := range v.entries {
		if _, taken := v.byName[e.Canonical]; !taken {
			v.byName[e.Canonical] = e
		}
	}
	v.toolsJSON = sync.OnceValue(v.renderJSON)
	return v
}

// applyFilter removes the tools that do not pass. It comes after the aliases are made:
// the alias of a tool depends on the other tools.
func (v *View) applyFilter(f Filter) {
	if f.isZero() {
		return
	}
	all, aliases := v.entries, v.aliases
	v.entries, v.aliases = nil, nil
	for i, e := range all {
		if !f.allows(e.Canonical) {
			continue
		}
		v.entries = append(v.entries, e)
		if aliases != nil {
			v.aliases = append(v.aliases, aliases[i])
		}
	}
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
