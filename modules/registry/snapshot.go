package registry

import (
	"iter"
	"slices"
	"sync"

	"mcp-aggregator/modules/wire"
)

// Snapshot is an immutable list of all tools.
type Snapshot struct {
	// Version increases with every change of the list.
	Version int64

	entries   []*Entry // by server in configured order, then as the server lists them
	keys      Order
	unaliased *View // of all tools

	mu    sync.Mutex
	views map[string]func() *View // by Naming.viewKey; at most maxViews
}

// maxViews bounds the views that a snapshot keeps: each may hold a rendered list, and
// filters can change any number of times while the tools stay the same.
const maxViews = 64

func newSnapshot(version int64, keys Order, entries []*Entry) *Snapshot {
	return &Snapshot{
		Version: version, entries: entries, keys: keys,
		unaliased: newView(entries, keys, &Naming{}), views: make(map[string]func() *View),
	}
}

// Entries returns all tools in list order.
func (s *Snapshot) Entries() []*Entry { return slices.Clone(s.entries) }

// View returns the view of a client with that naming. Each snapshot makes a view when it
// is first requested, and keeps it unless many others are requested.
func (s *Snapshot) View(n *Naming) *View {
	if n.viewKey == "" {
		return s.unaliased
	}
	return s.viewMaker(n)() // without the lock: a filter may take long
}

func (s *Snapshot) viewMaker(n *Naming) func() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	if maker, found := s.views[n.viewKey]; found {
		return maker
	}
	for key := range s.views {
		if len(s.views) < maxViews {
			break
		}
		delete(s.views, key)
	}
	maker := sync.OnceValue(func() *View { return newView(s.entries, s.keys, n) })
	s.views[n.viewKey] = maker
	return maker
}

// View is what one client sees of a [Snapshot]: the tools that its filter selects, under
// names that it accepts.
type View struct {
	entries   []*Entry
	aliases   []string // nil when the client sees Entry.Name
	byName    map[string]*Entry
	toolsJSON func() []byte
}

// newView returns the view for a naming. Keys are those of all configured servers.
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

// applyFilter removes the tools that f does not select. It must follow the computation of
// the aliases, which depend on all tools.
func (v *View) applyFilter(f Filter) {
	if f.isZero() {
		return
	}
	all, aliases := v.entries, v.aliases
	v.entries, v.aliases = nil, nil
	for i, e := range all {
		if !f.Selects(e.Server, e.Canonical) {
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

// Lookup finds a tool by the name that the client sees or by its canonical name.
func (v *View) Lookup(name []byte) (*Entry, bool) {
	e, ok := v.byName[string(name)]
	return e, ok
}

// Names returns the names that the client sees, in list order.
func (v *View) Names() []string {
	names := slices.Clone(v.aliases)
	for i := len(names); i < len(v.entries); i++ {
		names = append(names, v.clientName(i))
	}
	return names
}

// All iterates over the tools in list order, with the names that the client sees.
func (v *View) All() iter.Seq2[string, *Entry] {
	return func(yield func(string, *Entry) bool) {
		for i, e := range v.entries {
			if !yield(v.clientName(i), e) {
				return
			}
		}
	}
}

// Nearest returns suggestions for an unknown name, as the client sees them; see
// [Nearest].
func (v *View) Nearest(name string) []string {
	return Nearest(name, func(yield func(NamedTool) bool) {
		for i, e := range v.entries {
			if !yield(NamedTool{v.clientName(i), e.OriginalName}) {
				return
			}
		}
	})
}

// ToolsJSON returns the JSON array of the definitions, with the names that the client
// sees. The caller must not modify it.
func (v *View) ToolsJSON() []byte { return v.toolsJSON() }

func (v *View) renderJSON() []byte {
	size := 2
	for _, e := range v.entries {
		size += len(e.Definition) + 1
	}
	list := append(make([]byte, 0, size), '[')
	for i := range v.entries {
		if i > 0 {
			list = append(list, ',')
		}
		list = v.appendDefinition(list, i)
	}
	return append(list, ']')
}

// appendDefinition appends the definition of a tool, with the name that the client sees.
func (v *View) appendDefinition(list []byte, i int) []byte {
	e := v.entries[i]
	if v.aliases == nil {
		return append(list, e.Definition...)
	}
	list = append(list, e.Definition[:e.nameSpan.Start]...)
	list = wire.AppendQuoted(list, v.aliases[i])
	return append(list, e.Definition[e.nameSpan.End:]...)
}

// Definitions returns the definitions of the tools whose canonical names match one of the
// patterns, as they are in ToolsJSON.
func (v *View) Definitions(p Patterns) (list [][]byte) {
	for i, e := range v.entries {
		if p.Match(e.Canonical) {
			list = append(list, v.appendDefinition(nil, i))
		}
	}
	return list
}
