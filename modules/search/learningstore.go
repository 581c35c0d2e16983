package search

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// LearningStore persists what was learned.
type LearningStore interface {
	// LoadVotes returns all votes.
	LoadVotes(ctx context.Context) ([]Vote, error)
	// SaveVotes replaces the votes with the same stem, tool and principal. It deletes
	// those with weight 0.
	SaveVotes(ctx context.Context, votes []Vote) error
}

// Vote says how often a principal called a tool after a word of a query.
type Vote struct {
	Stem                 string // of the word
	Server, OriginalName string // the tool, as in [Tool]
	Principal            string // a hash, 16 hexadecimal digits
	Weight               float64
	At                   time.Time // time of the weight, which decays from then on
}

// Time limits of the accesses to the store, while the service runs and when it stops.
const (
	storeTimeout = 10 * time.Second
	stopTimeout  = 3 * time.Second
)

// flusher is the state of the goroutine that stores votes.
type flusher struct {
	cancel context.CancelFunc
	done   chan struct{}
	loaded time.Time // of the last read of the store; until the first, nothing is written
	failed bool      // as last logged
}

// Start starts a goroutine that loads stored votes and stores new ones.
func (l *Learning) Start(context.Context) error {
	if l.options.Off {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel, l.done = cancel, make(chan struct{})
	go l.run(ctx) //nolint:contextcheck // Fx's context ends when Start returns
	return nil
}

// Stop stores the remaining votes.
func (l *Learning) Stop(ctx context.Context) error {
	if l.cancel == nil {
		return nil
	}
	l.cancel()
	select {
	case <-l.done:
	case <-ctx.Done():
		return fmt.Errorf("storing learned votes: %w", ctx.Err())
	}
	l.sync(ctx, stopTimeout)
	return nil
}

func (l *Learning) run(ctx context.Context) {
	defer close(l.done)
	tick := time.NewTicker(l.options.FlushEvery)
	defer tick.Stop()
	for {
		l.sync(ctx, storeTimeout)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// sync stores the votes that changed, and sometimes loads what others have stored. Nothing
// is stored before the first load.
func (l *Learning) sync(ctx context.Context, limit time.Duration) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var err error
	if l.loaded.IsZero() {
		err = l.load(bounded)
	}
	if err == nil {
		err = l.flush(bounded)
	}
	if err == nil && time.Since(l.loaded) >= l.options.ReloadEvery {
		err = l.load(bounded)
	}
	if failed := err != nil; failed != l.failed && ctx.Err() == nil {
		l.failed = failed
		if failed {
			l.log.Warn("cannot store learned votes: will retry", slog.Any("error", err))
		}
	}
}

// load puts what is stored in place of what is known, but for what has changed since it
// was stored. Searches wait for the exchange alone.
func (l *Learning) load(ctx context.Context) error {
	votes, err := l.store.LoadVotes(ctx)
	if err != nil {
		return err
	}
	first, now := l.loaded.IsZero(), time.Now()
	stored := newBallots()
	for _, v := range votes {
		if k, v, ok := parseVote(v, now); ok {
			stored.insertVote(k, v)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.ballots
	l.ballots, l.loaded = stored, now
	for k := range l.changed {
		v, ok := known.get(k)
		if old, has := stored.get(k); has && ok && first { // its weight is what was added since the start
			v.weight = min(v.weight+l.agedWeight(old, now), maxVote)
		}
		l.set(k, v, ok)
	}
	if l.votes > l.options.MaxVotes { // replicas together have learned more than one keeps
		l.pruneVotes(now, l.options.MaxVotes, func(voteKey) bool { return true })
	}
	return nil
}

// set replaces a vote, or drops it.
func (l *Learning) set(k voteKey, v vote, keep bool) {
	if _, known := l.get(k); known {
		l.dropVote(k)
	}
	if keep {
		l.insertVote(k, v)
	}
}

// parseVote returns a stored vote as it is counted.
func parseVote(v Vote, now time.Time) (k voteKey, counted vote, ok bool) {
	voter, err := strconv.ParseUint(v.Principal, 16, 64)
	if err != nil || !(v.Weight > 0) {
		return k, counted, false
	}
	return voteKey{v.Stem, toolKey{v.Server, v.OriginalName}, voter}, vote{voter, min(v.At.Unix(), now.Unix()), min(v.Weight, maxVote)}, true
}

func (l *Learning) flush(ctx context.Context) error {
	changed := l.takeChanged()
	if len(changed) == 0 {
		return nil
	}
	err := l.store.SaveVotes(ctx, changed)
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, v := range changed {
			voter, _ := strconv.ParseUint(v.Principal, 16, 64)
			l.changed[voteKey{v.Stem, toolKey{v.Server, v.OriginalName}, voter}] = struct{}{}
		}
	}
	return err
}

// takeChanged returns the votes to store.
func (l *Learning) takeChanged() []Vote {
	l.mu.Lock()
	defer l.mu.Unlock()
	votes := make([]Vote, 0, len(l.changed))
	for k := range l.changed {
		v := Vote{Stem: k.stem, Server: k.tool.server, OriginalName: k.tool.own, Principal: fmt.Sprintf("%016x", k.voter)}
		if known, ok := l.get(k); ok {
			v.Weight, v.At = known.weight, time.Unix(known.at, 0)
		}
		votes = append(votes, v)
	}
	clear(l.changed)
	return votes
}

// MemoryLearning is a [LearningStore] in memory.
type MemoryLearning struct {
	mu    sync.Mutex
	votes map[Vote]Vote // keyed by the vote without weight and time
}

// NewMemoryLearning returns an empty store.
func NewMemoryLearning() *MemoryLearning { return &MemoryLearning{votes: map[Vote]Vote{}} }

// LoadVotes returns all votes in no particular order.
func (m *MemoryLearning) LoadVotes(context.Context) ([]Vote, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.votes)), nil
}

// SaveVotes stores votes.
func (m *MemoryLearning) SaveVotes(_ context.Context, votes []Vote) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range votes {
		k := Vote{Stem: v.Stem, Server: v.Server, OriginalName: v.OriginalName, Principal: v.Principal}
		if v.Weight == 0 {
			delete(m.votes, k)
		} else {
			m.votes[k] = v
		}
	}
	return nil
}
