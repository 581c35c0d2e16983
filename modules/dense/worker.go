package dense

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/sync/errgroup"
)

// sweepInterval is how often the leg refreshes all tools in the store and deletes unused
// vectors.
const sweepInterval = 24 * time.Hour

// refreshSize is the number of tools per refresh.
const refreshSize = 500

// run embeds tools until ctx ends.
func (l *Leg) run(ctx context.Context) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = l.options.FirstPause, l.options.LastPause
	swept := time.Now()
	for ctx.Err() == nil {
		err := l.embedMissing(ctx)
		if err == nil && time.Since(swept) >= sweepInterval {
			if err = l.sweep(ctx); err == nil {
				swept = time.Now()
			}
		}
		l.recordAttempt(ctx, err)
		pause, wake := sweepInterval, l.wake
		switch {
		case err == nil:
			pauses.Reset()
		case hasCode(err, Limited):
			pause = l.options.LastPause // until the next day begins
		default:
			pause, wake = pauses.NextBackOff(), nil // a new tool must not cut the pause short
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// recordAttempt stores the result of the last attempt and logs when it changes.
func (l *Leg) recordAttempt(ctx context.Context, err error) {
	l.mu.Lock()
	before := l.failure
	l.failure = err
	l.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case err != nil && (before == nil || before.Error() != err.Error()):
		l.log.Warn("cannot embed tools: searching by words only", "model", l.embedder.Model(), "error", err)
	case err == nil && before != nil:
		l.log.Info("embedding tools works again", "model", l.embedder.Model())
	}
}

// embedMissing embeds all tools without a vector.
func (l *Leg) embedMissing(ctx context.Context) error {
	space, err := l.discoverSpace(ctx)
	if err != nil {
		return err
	}
	if err := l.refresh(ctx, space); err != nil {
		return err
	}
	if err := l.retryPuts(ctx, space); err != nil {
		return err
	}
	// Tools added since the refresh wait for the next run: the store may have them.
	missing := l.pointsWhere(func(t *indexedTool) bool { return !t.stored && !t.rejected && !t.refresh })
	var group errgroup.Group // not WithContext: that would cancel requests that cost money
	var failed atomic.Bool
	group.SetLimit(l.options.Concurrency)
	for batch := range slices.Chunk(missing, l.options.BatchSize) {
		group.Go(func() error {
			if failed.Load() {
				return nil
			}
			err := l.embedBatch(ctx, space, batch)
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	return group.Wait()
}

// discoverSpace determines the dimension from a first request, unless it is known.
func (l *Leg) discoverSpace(ctx context.Context) (Space, error) {
	l.mu.RLock()
	space := l.space
	l.mu.RUnlock()
	if space.Dimension > 0 {
		return space, nil
	}
	vectors, err := l.embed(ctx, []string{l.options.QueryPrefix + "create an issue"}, l.options.EmbedTimeout)
	if err != nil {
		return space, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.space.Dimension = len(vectors[0])
	for _, t := range l.tools {
		*t = indexedTool{Tool: t.Tool, refresh: true}
	}
	l.recount()
	return l.space, nil
}

// resetSpace makes the goroutine determine the dimension again, unless it has changed
// since.
func (l *Leg) resetSpace(space Space) {
	l.mu.Lock()
	if l.space == space {
		l.space.Dimension = 0
		l.queries.Purge()
	}
	l.mu.Unlock()
	l.wakeWorker()
}

// pointsWhere returns the points of the tools that match a condition.
func (l *Leg) pointsWhere(which func(*indexedTool) bool) []Point {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var points []Point
	for hash, t := range l.tools {
		if which(t) {
			points = append(points, Point{Hash: hash, Payload: t.Payload})
		}
	}
	return points
}

// refresh finds out which tools the store has.
func (l *Leg) refresh(ctx context.Context, space Space) error {
	for some := range slices.Chunk(l.pointsWhere(func(t *indexedTool) bool { return t.refresh }), refreshSize) {
		bounded, cancel := context.WithTimeout(ctx, l.options.StoreTimeout)
		known, err := l.store.Refresh(bounded, space, some)
		cancel()
		if err != nil {
			return err
		}
		l.recordStored(space, some, known)
	}
	return nil
}

// recordStored records which of the given points the store has.
func (l *Leg) recordStored(space Space, points []Point, known []Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.space != space {
		return
	}
	has := make(map[Hash]bool, len(known))
	for _, hash := range known {
		has[hash] = true
	}
	for _, p := range points {
		t := l.tools[p.Hash]
		if t == nil {
			continue
		}
		if t.stored = has[p.Hash]; t.stored {
			t.values = nil
		}
		t.refresh = !t.Equal(p.Payload) // it has changed in the meantime
	}
	l.recount()
}

// recheckInterval limits how often failures refresh all tools.
const recheckInterval = time.Minute

// recheckStore makes the goroutine refresh all tools, because a store that failed may have
// lost them.
func (l *Leg) recheckStore() {
	l.mu.Lock()
	if time.Since(l.rechecked) >= recheckInterval {
		l.rechecked = time.Now()
		for _, t := range l.tools {
			t.refresh = true
		}
	}
	l.mu.Unlock()
	l.wakeWorker()
}

// sweep refreshes all tools in the store and deletes vectors unused for
// [Options.Retention].
func (l *Leg) sweep(ctx context.Context) error {
	l.mu.Lock()
	for _, t := range l.tools {
		t.refresh, t.rejected = true, false
	}
	l.recount()
	l.mu.Unlock()
	if err := l.embedMissing(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, l.options.StoreTimeout)
	defer cancel()
	return l.store.DeleteUnused(ctx, time.Now().Add(-l.options.Retention))
}
