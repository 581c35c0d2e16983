package dense

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/sync/errgroup"
)

// sweepPause is how often the store is told what is in use, and forgets the rest.
const sweepPause = 24 * time.Hour

// refreshSize is how many tools the store is asked for at once.
const refreshSize = 500

// run embeds what is to be embedded until ctx ends.
func (l *Leg) run(ctx context.Context) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = l.options.FirstPause, l.options.LastPause
	swept := time.Now()
	for ctx.Err() == nil {
		err := l.work(ctx)
		if err == nil && time.Since(swept) >= sweepPause {
			if err = l.sweep(ctx); err == nil {
				swept = time.Now()
			}
		}
		l.note(ctx, err)
		pause, wake := sweepPause, l.wake
		switch {
		case err == nil:
			pauses.Reset()
		case has(err, Limited):
			pause = l.options.LastPause // the day may end
		default:
			pause, wake = pauses.NextBackOff(), nil // another tool does not shorten it
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

// note keeps how the last attempt ended, and logs when that changes.
func (l *Leg) note(ctx context.Context, err error) {
	l.mu.Lock()
	before := l.failure
	l.failure = err
	l.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case err != nil && (before == nil || before.Error() != err.Error()):
		l.log.Warn("tools are not embedded, search is lexical", "model", l.embedder.Model(), "error", err)
	case err == nil && before != nil:
		l.log.Info("tools are embedded again", "model", l.embedder.Model())
	}
}

// work embeds all tools that have no vector.
func (l *Leg) work(ctx context.Context) error {
	space, err := l.learnSpace(ctx)
	if err != nil {
		return err
	}
	if err := l.refresh(ctx, space); err != nil {
		return err
	}
	if err := l.putAgain(ctx, space); err != nil {
		return err
	}
	// One that has come since waits for the next time: the store may have it.
	missing := l.pick(func(t *held) bool { return !t.stored && !t.rejected && !t.refresh })
	var group errgroup.Group // its context would end requests that are paid for
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

// learnSpace asks the embedder for its dimension, unless that is known.
func (l *Leg) learnSpace(ctx context.Context) (Space, error) {
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
		*t = held{Tool: t.Tool, refresh: true}
	}
	l.count()
	return l.space, nil
}

// learnAgain has the dimension asked for anew, unless it has been since space was.
func (l *Leg) learnAgain(space Space) {
	l.mu.Lock()
	if l.space == space {
		l.space.Dimension = 0
		l.queries.Purge()
	}
	l.mu.Unlock()
	l.awake()
}

// pick returns the points of some tools.
func (l *Leg) pick(which func(*held) bool) []Point {
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

// refresh asks the store which tools it knows.
func (l *Leg) refresh(ctx context.Context, space Space) error {
	for some := range slices.Chunk(l.pick(func(t *held) bool { return t.refresh }), refreshSize) {
		bounded, cancel := context.WithTimeout(ctx, l.options.StoreTimeout)
		known, err := l.store.Refresh(bounded, space, some)
		cancel()
		if err != nil {
			return err
		}
		l.settle(space, some, known)
	}
	return nil
}

// settle notes which of the points that were asked for the store has.
func (l *Leg) settle(space Space, asked []Point, known []Hash) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.space != space {
		return
	}
	has := make(map[Hash]bool, len(known))
	for _, hash := range known {
		has[hash] = true
	}
	for _, p := range asked {
		t := l.tools[p.Hash]
		if t == nil {
			continue
		}
		if t.stored = has[p.Hash]; t.stored {
			t.values = nil
		}
		t.refresh = !t.Equal(p.Payload) // it changed meanwhile
	}
	l.count()
}

// doubtPause bounds how often the store is asked for all tools.
const doubtPause = time.Minute

// doubt has the store asked for all tools, since one that has failed may have lost them.
func (l *Leg) doubt() {
	l.mu.Lock()
	if time.Since(l.doubted) >= doubtPause {
		l.doubted = time.Now()
		for _, t := range l.tools {
			t.refresh = true
		}
	}
	l.mu.Unlock()
	l.awake()
}

// sweep tells the store of all tools, and deletes what nobody has used for long.
func (l *Leg) sweep(ctx context.Context) error {
	l.mu.Lock()
	for _, t := range l.tools {
		t.refresh, t.rejected = true, false
	}
	l.count()
	l.mu.Unlock()
	if err := l.work(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, l.options.StoreTimeout)
	defer cancel()
	return l.store.DeleteUnused(ctx, time.Now().Add(-l.options.Retention))
}
