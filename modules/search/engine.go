package search

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
)

// DenseScore says how near a tool is to a query.
type DenseScore struct {
	Server, OriginalName string
	Cosine               float64 // -1 to 1
}

// Dense finds tools by vectors.
type Dense interface {
	// Scores returns the nearest tools of servers, or of all servers if that is nil: at
	// most limit, in any order. It returns soon after ctx ends, and returns an error if it
	// is not ready.
	Scores(ctx context.Context, query string, limit int, servers []string) ([]DenseScore, error)
	// Replace and Remove mirror [Index.Replace] and [Index.Remove]. They do not
	// wait for vectors.
	Replace(server string, tools []Tool)
	Remove(server string)
}

// Options configure an [Engine]. The zero value searches without vectors.
type Options struct {
	Dense        Dense
	DenseTimeout time.Duration // per query; 0 means one second
}

// denseLimit is how many tools the dense leg contributes to a search.
const denseLimit = 200

// Engine combines all available legs of a search.
type Engine struct {
	index     *Index
	learning  *Learning
	options   Options
	log       *slog.Logger
	denseDown atomic.Bool // as last logged
}

// NewEngine returns an engine without tools. It learns nothing if learning is nil.
func NewEngine(learning *Learning, log *slog.Logger, o Options) *Engine {
	if o.DenseTimeout <= 0 {
		o.DenseTimeout = time.Second
	}
	return &Engine{index: NewIndex(log), learning: learning, options: o, log: log}
}

// Replace sets the tools of a server. See [Index.Replace].
func (e *Engine) Replace(server string, tools []Tool) {
	e.index.Replace(server, tools)
	if e.options.Dense != nil {
		e.options.Dense.Replace(server, tools)
	}
}

// Remove removes the tools of a server.
func (e *Engine) Remove(server string) {
	e.index.Remove(server)
	if e.options.Dense != nil {
		e.options.Dense.Remove(server)
	}
}

// Snapshot returns the current lexical index.
func (e *Engine) Snapshot() *Snapshot { return e.index.Snapshot() }

// Search returns the best tools for a query. A failing leg is skipped and does not appear
// in Results.Legs; an error means that the query is invalid.
func (e *Engine) Search(ctx context.Context, q Query) (Results, error) {
	l, err := e.index.Snapshot().lookup(q)
	if err != nil {
		return Results{}, err
	}
	defer l.release()
	e.addDense(ctx, l)
	if e.learning != nil {
		l.addLearned(e.learning)
	}
	return l.results(), nil
}

func (e *Engine) addDense(ctx context.Context, l *lookup) {
	if e.options.Dense == nil || l.sel.tools == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, e.options.DenseTimeout)
	defer cancel()
	scores, err := e.options.Dense.Scores(ctx, l.query.Text, denseLimit, l.servers())
	e.logDense(err)
	if err != nil {
		return
	}
	values := make([]float64, l.sel.tools)
	for _, s := range scores {
		if index, ok := l.sel.indexOf(s.Server, s.OriginalName); ok && s.Cosine > 0 {
			values[index] = min(s.Cosine, 1)
		}
	}
	l.legs = append(l.legs, newLeg(LegDense, denseWeight, values))
}

// servers returns the servers with tools that the query may find, or nil for all servers:
// the nearest tools overall may belong to other servers.
func (l *lookup) servers() []string {
	if len(l.query.Servers) == 0 && l.query.Keep == nil {
		return nil
	}
	servers := make([]string, 0, len(l.sel.segments))
	for _, seg := range l.sel.segments {
		if slices.ContainsFunc(seg.tools, func(t Tool) bool { return l.query.Keep == nil || l.query.Keep(t.Name) }) {
			servers = append(servers, seg.server)
		}
	}
	return servers
}

// Observe is [Learning.Observe] of what the engine learns.
func (e *Engine) Observe(session, principal, query string, results Results) {
	if e.learning != nil {
		e.learning.Observe(session, principal, query, results)
	}
}

// Called is [Learning.Called] of what the engine learns.
func (e *Engine) Called(session, principal, server, originalName string) {
	if e.learning != nil {
		e.learning.Called(session, principal, server, originalName)
	}
}

// logDense logs when the dense leg starts to fail and when it recovers.
func (e *Engine) logDense(err error) {
	down := err != nil
	if e.denseDown.Swap(down) == down {
		return
	}
	if down {
		e.log.Warn("vector search failed: searching by words only", slog.Any("error", err))
	} else {
		e.log.Info("vector search works again")
	}
}
