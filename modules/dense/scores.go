package dense

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sony/gobreaker/v2"
)

// newBreaker returns a circuit breaker that opens for 30 s after 5 failures in a row.
func newBreaker() *gobreaker.CircuitBreaker[[]Score] {
	return gobreaker.NewCircuitBreaker[[]Score](gobreaker.Settings{
		Timeout:     30 * time.Second,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 5 },
		// What says nothing about the embedder or the store.
		IsExcluded: func(err error) bool {
			return errors.Is(err, errGaveUp) || errors.Is(err, errBusy) || has(err, Limited) || has(err, Rejected)
		},
	})
}

var (
	errGaveUp = errors.New("the caller gave up")
	errBusy   = errors.New("too many queries at once")
)

// Scores returns at most limit tools that are near to query, the nearest first. It is
// bounded by [Options.QueryTimeout]; any error is an [*Error], which it returns at once
// until the tools have vectors, and while the embedder or the store fails.
func (l *Leg) Scores(ctx context.Context, query string, limit int) ([]Score, error) {
	return l.ScoresWithin(ctx, query, limit, nil)
}

// ScoresWithin is Scores for the tools of some servers, by name; nil means all.
func (l *Leg) ScoresWithin(ctx context.Context, query string, limit int, servers []string) ([]Score, error) {
	space, servers, ready := l.searched(servers)
	if !ready {
		return nil, &Error{Code: NotReady, Err: l.lastFailure()}
	}
	if len(servers) == 0 || limit <= 0 {
		return nil, nil
	}
	scores, err := l.breaker.Execute(func() ([]Score, error) {
		bounded, cancel := context.WithTimeout(ctx, l.options.QueryTimeout)
		defer cancel()
		scores, err := l.scores(bounded, space, query, limit, servers)
		if err != nil && cancelled(ctx) {
			err = errors.Join(errGaveUp, err)
		}
		return scores, err
	})
	if err != nil {
		return nil, coded(err)
	}
	return scores, nil
}

// searched returns the space, those of servers that have tools, and whether nine in ten
// tools have vectors, or never will: a few new ones do not end the search of all others.
func (l *Leg) searched(servers []string) (space Space, known []string, ready bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	ready = l.space.Dimension > 0 && (l.stored+l.rejected)*10 >= len(l.tools)*9
	if servers == nil {
		return l.space, slices.Collect(maps.Keys(l.servers)), ready
	}
	for _, server := range servers {
		if len(l.servers[server]) > 0 {
			known = append(known, server)
		}
	}
	return l.space, known, ready
}

func (l *Leg) lastFailure() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.failure
}

func (l *Leg) scores(ctx context.Context, space Space, query string, limit int, servers []string) ([]Score, error) {
	vector, err := l.queryVector(ctx, space, query)
	if err != nil {
		return nil, err
	}
	// More than are asked for, since the store may have vectors of what tools were before.
	neighbors, err := l.store.Nearest(ctx, space, vector, 2*limit, servers)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			l.doubt()
		}
		return nil, err
	}
	scores := make([]Score, 0, limit)
	l.mu.RLock()
	for _, n := range neighbors {
		if t := l.tools[n.Hash]; t != nil {
			scores = append(scores, Score{Server: t.Server, Own: t.Name, Cosine: n.Cosine})
		}
	}
	l.mu.RUnlock()
	slices.SortFunc(scores, compareScores)
	return scores[:min(limit, len(scores))], nil
}

// queryVector returns the vector of a query, which it remembers.
func (l *Leg) queryVector(ctx context.Context, space Space, query string) ([]float32, error) {
	text := l.options.QueryPrefix + head(plain(head(query, 4*l.options.TextBytes)), l.options.TextBytes)
	if vector, ok := l.queries.Get(text); ok && len(vector) == space.Dimension {
		return vector, nil
	}
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	default:
		return nil, errBusy
	}
	vectors, err := l.embed(ctx, []string{text}, l.options.QueryTimeout)
	if err != nil {
		return nil, err
	}
	if len(vectors[0]) != space.Dimension {
		l.learnAgain(space)
		return nil, nonsense("%d numbers where %d were before", len(vectors[0]), space.Dimension)
	}
	l.queries.Add(text, vectors[0])
	return vectors[0], nil
}
