package dense

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/sony/gobreaker/v2"
)

// newBreaker returns a circuit breaker that opens for 30 s after 5 consecutive failures.
func newBreaker[T any]() *gobreaker.CircuitBreaker[T] {
	return gobreaker.NewCircuitBreaker[T](gobreaker.Settings{
		Timeout:     30 * time.Second,
		ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 5 },
		// These errors say nothing about the health of the embedder and the store.
		IsExcluded: func(err error) bool {
			return errors.Is(err, errCallerGone) || hasCode(err, Limited) || hasCode(err, Rejected)
		},
	})
}

// guarded calls do unless the breaker is open.
func guarded[T any](ctx context.Context, b *gobreaker.CircuitBreaker[T], do func() (T, error)) (T, error) {
	return b.Execute(func() (T, error) {
		result, err := do()
		if err != nil && cancelled(ctx) {
			err = errors.Join(errCallerGone, err)
		}
		return result, err
	})
}

var (
	errCallerGone = errors.New("the caller gave up")
	errBusy       = errors.New("too many queries at once")
)

// Scores returns at most limit tools near query, nearest first. It takes at most
// [Options.QueryTimeout]. Any error is an [*Error], which it returns immediately while most
// tools lack vectors or the embedder or store keeps failing.
func (l *Leg) Scores(ctx context.Context, query string, limit int) ([]Score, error) {
	return l.ScoresWithin(ctx, query, limit, nil)
}

// ScoresWithin is like Scores, but searches only the named servers; nil means all.
func (l *Leg) ScoresWithin(ctx context.Context, query string, limit int, servers []string) ([]Score, error) {
	space, servers, ready := l.searchScope(servers)
	if !ready {
		return nil, &Error{Code: NotReady, Err: l.lastFailure()}
	}
	if len(servers) == 0 || limit <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, l.options.QueryTimeout)
	defer cancel()
	scores, err := l.scores(ctx, space, query, limit, servers)
	if err != nil {
		return nil, withCode(err)
	}
	return scores, nil
}

// searchScope returns the space, those of the servers that have tools, and whether nine in
// ten tools are done, that is, stored or rejected: a few new tools must not disable search
// for all others.
func (l *Leg) searchScope(servers []string) (space Space, known []string, ready bool) {
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
	// Fetch more than limit, because the store may return vectors of former tools.
	neighbors, err := guarded(ctx, l.storeBreaker, func() ([]Neighbor, error) {
		neighbors, err := l.store.Nearest(ctx, space, vector, 2*limit, servers)
		if err != nil && !errors.Is(err, context.Canceled) {
			l.recheckStore()
		}
		return neighbors, err
	})
	if err != nil {
		return nil, err
	}
	scores := make([]Score, 0, limit)
	l.mu.RLock()
	for _, n := range neighbors {
		if t := l.tools[n.Hash]; t != nil {
			scores = append(scores, Score{Server: t.Server, OriginalName: t.Name, Cosine: n.Cosine})
		}
	}
	l.mu.RUnlock()
	slices.SortFunc(scores, compareScores)
	return scores[:min(limit, len(scores))], nil
}

// queryVector returns the vector of a query, cached if possible.
func (l *Leg) queryVector(ctx context.Context, space Space, query string) ([]float32, error) {
	text := l.options.QueryPrefix + truncate(cleanText(truncate(query, 4*l.options.TextBytes)), l.options.TextBytes)
	if vector, ok := l.queries.Get(text); ok && len(vector) == space.Dimension {
		return vector, nil
	}
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	default:
		return nil, errBusy
	}
	vectors, err := guarded(ctx, l.embedBreaker, func() ([][]float32, error) {
		return l.embed(ctx, []string{text}, l.options.QueryTimeout)
	})
	if err != nil {
		return nil, err
	}
	if len(vectors[0]) != space.Dimension {
		l.resetSpace(space)
		return nil, invalidResponse("its vectors have %d dimensions, previously %d", len(vectors[0]), space.Dimension)
	}
	l.queries.Add(text, vectors[0])
	return vectors[0], nil
}
