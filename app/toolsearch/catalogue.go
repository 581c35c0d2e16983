package toolsearch

import (
	"context"
	"slices"
	"sync"

	"mcp-aggregator/modules/lean"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/search"
)

// Catalogue is the [lean.Catalogue] of one client: the tools of one view.
type Catalogue struct {
	engine    Engine
	view      *registry.View
	describer ServerDescriber
	names     func() map[string]string // the client's, by canonical name
	servers   func() []lean.Server     // without what the describer knows
	unlisted  func(name string) bool
}

// NewCatalogue returns the catalogue of the tools that a client sees. Unlisted reports
// whether a name that the view does not have may be one of a server that is starting or
// out of reach; nil means never.
func NewCatalogue(engine Engine, view *registry.View, describer ServerDescriber, unlisted func(name string) bool) *Catalogue {
	return &Catalogue{
		engine: engine, view: view, describer: describer, unlisted: unlisted,
		names:   sync.OnceValue(func() map[string]string { return clientNames(view) }),
		servers: sync.OnceValue(func() []lean.Server { return serversOf(view) }),
	}
}

// For returns a catalogue of the same view for another client. What was computed of the
// view is not computed again.
func (c *Catalogue) For(engine Engine, unlisted func(name string) bool) *Catalogue {
	other := *c
	other.engine, other.unlisted = engine, unlisted
	return &other
}

// Search implements [lean.Catalogue].
func (c *Catalogue) Search(ctx context.Context, query string, limit int, servers []string) ([]lean.Hit, error) {
	names := c.names()
	results, err := c.engine.Search(ctx, search.Query{
		Text: query, Limit: limit, Servers: servers,
		Keep: func(canonical string) bool { _, ok := names[canonical]; return ok },
	})
	if err != nil {
		return nil, err
	}
	var hits []lean.Hit
	for _, h := range results.Hits {
		hits = append(hits, lean.Hit{Tool: lean.Tool{Name: names[h.Name], Definition: h.Definition}, Score: h.Score})
	}
	return hits, nil
}

// Lookup implements [lean.Catalogue].
func (c *Catalogue) Lookup(name string) (lean.Tool, lean.Presence) {
	if e, ok := c.view.Lookup([]byte(name)); ok {
		return lean.Tool{Name: name, Definition: e.Definition}, lean.Listed
	}
	if c.unlisted != nil && c.unlisted(name) {
		return lean.Tool{}, lean.Unlisted
	}
	return lean.Tool{}, lean.Absent
}

// Nearest implements [lean.Catalogue].
func (c *Catalogue) Nearest(name string) []string { return c.view.Nearest(name) }

// Servers implements [lean.Catalogue].
func (c *Catalogue) Servers() []lean.Server {
	servers := slices.Clone(c.servers())
	for i := range servers {
		s := &servers[i]
		info := c.describer.DescribeServer(s.Name)
		s.Title, s.Instructions = info.Title, info.Instructions
		if info.Title != "" || info.Description != "" || info.Instructions != "" {
			s.Description = info.Description
		}
	}
	return servers
}

func clientNames(view *registry.View) map[string]string {
	names := make(map[string]string)
	for name, e := range view.All() {
		names[e.Canonical] = name
	}
	return names
}

// namedTools is how many tools are named in place of a server's description.
const namedTools = 4

// serversOf returns the servers of a view, in its order, described by the names of their
// first tools.
func serversOf(view *registry.View) (list []lean.Server) {
	final := lean.Hints{Destructive: true, OpenWorld: true} // no further tool changes them
	for _, e := range view.All() {
		if n := len(list); n == 0 || list[n-1].Name != e.Server {
			list = append(list, lean.Server{Name: e.Server, Hints: lean.HintsOf(e.Definition)})
		}
		s := &list[len(list)-1]
		switch {
		case s.Tools == 0:
			s.Description = e.OriginalName
		case s.Tools < namedTools:
			s.Description += ", " + e.OriginalName
		case s.Tools == namedTools:
			s.Description += ", ..."
		}
		if s.Tools++; s.Hints != final { // a definition may be large
			s.Hints = lean.Combined(s.Hints, lean.HintsOf(e.Definition))
		}
	}
	return list
}
