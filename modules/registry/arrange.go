package registry

import (
	"slices"

	"mcp-aggregator/modules/wire"
)

// Arrange replaces the order of the servers, where they come and go. The tools of
// those that are not in it are forgotten.
func (r *ToolRegistry) Arrange(order Order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrange(slices.Clone(order))
	r.publish()
}

func (r *ToolRegistry) arrange(order Order) {
	r.order = order
	for key := range r.byServer {
		if !slices.Contains(order, key) {
			delete(r.byServer, key)
			delete(r.hidden, key)
		}
	}
}

// Rename gives the server with the key old another one, and its tools new names, all
// at once.
func (r *ToolRegistry) Rename(old, key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	order := slices.Clone(r.order)
	if i := slices.Index(order, old); i >= 0 {
		order[i] = key
	}
	var renamed []*Entry
	for _, e := range r.byServer[old] {
		if entry, err := r.separator.publish(key, e.original()); err == nil {
			renamed = append(renamed, entry)
		}
	}
	r.arrange(order)
	r.byServer[key] = renamed
	r.publish()
}

// original is the definition as the server wrote it.
func (e *Entry) original() []byte { return wire.Splice(e.Definition, e.name, e.Tool) }
