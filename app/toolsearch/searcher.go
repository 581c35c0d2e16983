package toolsearch

import (
	"context"

	"mcp-aggregator/modules/search"
)

// Engine finds tools.
type Engine interface {
	// Search is [search.Engine.Search].
	Search(ctx context.Context, q search.Query) (search.Results, error)
}

// Caller is who searches for tools and calls them.
type Caller struct {
	Session   string // in which a search explains the calls that follow
	Principal string // whose votes they are
}

// Searcher searches with an engine, which learns from what is called after a search.
type Searcher struct{ engine *search.Engine }

// NewSearcher returns a searcher.
func NewSearcher(engine *search.Engine) *Searcher { return &Searcher{engine} }

// For returns the engine as a caller uses it: the calls of that caller after a search
// count as its outcome.
func (s *Searcher) For(by Caller) Engine { return callerEngine{s, by} }

// Called records that a caller called a tool, by its server's name for it, and got a
// result.
func (s *Searcher) Called(by Caller, server, own string) {
	s.engine.Called(by.Session, by.Principal, server, own)
}

type callerEngine struct {
	*Searcher

	by Caller
}

// Search implements [Engine].
func (e callerEngine) Search(ctx context.Context, q search.Query) (search.Results, error) {
	results, err := e.engine.Search(ctx, q)
	if err == nil {
		e.engine.Observe(e.by.Session, e.by.Principal, q.Text, results)
	}
	return results, err
}
