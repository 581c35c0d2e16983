package toolsearch

import (
	"sync"

	"mcp-aggregator/modules/registry"
)

// Catalogues makes the catalogues of many clients. Clients with the same view share what
// is computed of it.
type Catalogues struct {
	searcher  *Searcher
	describer ServerDescriber

	mu       sync.Mutex
	snapshot *registry.Snapshot
	views    map[*registry.View]*Catalogue // of the snapshot; at most maxViews
}

// maxViews bounds the catalogues that are kept: filters can change any number of times
// while the tools stay the same.
const maxViews = 64

// NewCatalogues returns a maker of catalogues.
func NewCatalogues(searcher *Searcher, describer ServerDescriber) *Catalogues {
	return &Catalogues{searcher: searcher, describer: describer}
}

// For returns the catalogue of a view of the snapshot, as a caller uses it. See
// [NewCatalogue].
func (c *Catalogues) For(by Caller, snapshot *registry.Snapshot, view *registry.View, unlisted func(name string) bool) *Catalogue {
	return c.shared(snapshot, view).For(c.searcher.For(by), unlisted)
}

func (c *Catalogues) shared(snapshot *registry.Snapshot, view *registry.View) *Catalogue {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot != snapshot || len(c.views) >= maxViews {
		c.snapshot, c.views = snapshot, make(map[*registry.View]*Catalogue)
	}
	shared := c.views[view]
	if shared == nil {
		shared = NewCatalogue(nil, view, c.describer, nil)
		c.views[view] = shared
	}
	return shared
}
