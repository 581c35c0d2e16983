package search

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

// DenseScore is how near a tool is to a query.
type DenseScore struct {
	Server, Own string
	Cosine      float64 // -1 to 1
}

// Dense finds tools by vectors.
type Dense interface {
	// Scores returns the nearest tools, at most limit of them, in any order. It
	// returns soon after ctx has ended, and an error when it is not ready.
	Scores(ctx context.Context, query string, limit int) ([]DenseScore, error)
	// Replace and Remove follow [Index.Replace] and [Index.Remove]. They do not
	// wait for vectors.
	Replace(server string, tools []Tool)
	Remove(server string)
}

// Options are what an [Engine] has beside the index. The zero value has no vectors.
type Options struct {
	Dense        Dense
	DenseTimeout time.Duration // of a query; 0 is a second
}

// denseLimit is how many tools the dense leg adds to a search of all servers.
const denseLimit = 200

// Engine searches with all the legs there are.
type Engine struct {
	index     *Index
	learning  *Learning
	options   Options
	log       *slog.Logger
	denseDown atomic.Bool // as logged last
}

// NewEngine returns an engine without tools. Without learning it learns nothing.
func NewEngine(learning *Learning, log *slog.Logger, o Options) *Engine {
	if o.DenseTimeout <= 0 {
		o.DenseTimeout = time.Second
	}
	return &Engine{index: NewIndex(log), learning: learning, options: o, log: log}
}

// Replace makes tools those of a server. See [Index.Replace].
func (e *Engine) Replace(server string, tools []Tool) {
	e.index.Replace(server, tools)
	if e.options.Dense != nil {
		e.options.Dense.Replace(server, tools)
	}
}

// Remove takes the tools of a server out.
func (e *Engine) Remove(server string) {
	e.index.Remove(server)
	if e.options.Dense != nil {
		e.options.Dense.Remove(server)
	}
}

// Snapshot returns the lexical index as it is now.
func (e *Engine) Snapshot() *Snapshot { return e.index.Snapshot() }

// Search returns the best tools for a query. A leg that fails is left out, which
// Results.Legs shows; the errors are those of queries.
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
	limit := denseLimit
	if len(l.query.Servers) > 0 { // the nearest of all servers need not be of these
		limit = l.snapshot.tools
	}
	ctx, cancel := context.WithTimeout(ctx, e.options.DenseTimeout)
	defer cancel()
	scores, err := e.options.Dense.Scores(ctx, l.query.Text, limit)
	e.logDense(err)
	if err != nil {
		return
	}
	values := make([]float64, l.sel.tools)
	for _, s := range scores {
		if place, ok := l.sel.place(s.Server, s.Own); ok && s.Cosine > 0 {
			values[place] = min(s.Cosine, 1)
		}
	}
	l.legs = append(l.legs, newLeg(LegDense, denseWeight, values))
}

// logDense logs when the dense leg fails, and when it works again.
func (e *Engine) logDense(err error) {
	down := err != nil
	if e.denseDown.Swap(down) == down {
		return
	}
	if down {
		e.log.Warn("search by vectors fails: searching by words alone", slog.Any("error", err))
	} else {
		e.log.Info("search by vectors works again")
	}
}
