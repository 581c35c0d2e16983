package registry

import (
	"slices"
	"sync"
)

// Entry is one prefixed tool.
type Entry struct {
	Name       string // public name
	Server     string // configuration key
	Tool       []byte // the server's own name for it, as raw JSON
	Definition []byte // raw JSON, carrying the public name
}

// Snapshot is the immutable list of all tools at one moment.
type Snapshot struct {
	// Version grows with every change of the list.
	Version int64

	entries []*Entry // in the order of the file, then of the servers
	byName  map[string]*Entry
	list    func() []byte
}

func newSnapshot(version int64, entries []*Entry) *Snapshot {
	s := &Snapshot{Version: version, entries: entries, byName: make(map[string]*Entry, len(entries))}
	for _, e := range entries {
		s.byName[e.Name] = e
	}
	s.list = sync.OnceValue(s.render)
	return s
}

// Lookup returns the tool with that public name.
func (s *Snapshot) Lookup(name []byte) (*Entry, bool) {
	e, ok := s.byName[string(name)]
	return e, ok
}

// Entries returns all tools in the order that the user sees.
func (s *Snapshot) Entries() []*Entry { return slices.Clone(s.entries) }

// Tools returns the JSON array of all definitions. It must not be changed.
func (s *Snapshot) Tools() []byte { return s.list() }

func (s *Snapshot) render() []byte {
	size := 2
	for _, e := range s.entries {
		size += len(e.Definition) + 1
	}
	list := append(make([]byte, 0, size), '[')
	for i, e := range s.entries {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, e.Definition...)
	}
	return append(list, ']')
}
