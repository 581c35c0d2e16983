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
	// Load returns all votes.
	Load(ctx context.Context) ([]Vote, error)
	// Save replaces the votes with the same stem, tool and principal. It deletes
	// those with weight 0.
	Save(ctx context.Context, votes []Vote) error
}

// Vote says how often a principal called a tool after a word of a query.
type Vote struct {
	Stem        string // of the word
	Server, Own string // the tool, as in [Tool]
	Principal   string // a hash, 16 hexadecimal digits
	Weight      float64
	At          time.Time // time of the weight, which decays from then on
}

// storeTimeout bounds each access to the store.
const storeTimeout = 10 * time.Second

// flusher is the state of the goroutine that stores votes.
type flusher struct {
	cancel context.CancelFunc
	done   chan struct{}
	loaded bool // stored votes were read; until then nothing is written
	failed bool // as last logged
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
	l.sync(ctx)
	return nil
}

func (l *Learning) run(ctx context.Context) {
	defer close(l.done)
	tick := time.NewTicker(l.options.FlushEvery)
	defer tick.Stop()
	for {
		l.sync(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// sync loads the stored votes once, and stores those that changed.
func (l *Learning) sync(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err := l.load(ctx)
	if err == nil {
		err = l.flush(ctx)
	}
	if failed := err != nil; failed != l.failed && ctx.Err() == nil {
		l.failed = failed
		if failed {
			l.log.Warn("cannot store learned votes: will retry", slog.Any("error", err))
		}
	}
}

func (l *Learning) load(ctx context.Context) error {
	if l.loaded {
		return nil
	}
	votes, err := l.store.Load(ctx)
	if err != nil {
		return err
	}
	l.loaded = true
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range votes {
		l.mergeStored(v, now)
	}
	return nil
}

// mergeStored adds a stored vote to what was learned since the start.
func (l *Learning) mergeStored(v Vote, now time.Time) {
	voter, err := strconv.ParseUint(v.Principal, 16, 64)
	if err != nil || v.Weight <= 0 || l.votes >= l.options.MaxVotes {
		return
	}
	k := voteKey{v.Stem, toolKey{v.Server, v.Own}, voter}
	stored := vote{voter, min(v.At.Unix(), now.Unix()), min(v.Weight, maxVote)}
	if _, known := l.changed[k]; known {
		l.addVote(k, l.agedWeight(stored, now), now)
		return
	}
	l.insertVote(k, stored)
}

func (l *Learning) flush(ctx context.Context) error {
	changed := l.takeChanged()
	if len(changed) == 0 {
		return nil
	}
	err := l.store.Save(ctx, changed)
	if err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, v := range changed {
			voter, _ := strconv.ParseUint(v.Principal, 16, 64)
			l.changed[voteKey{v.Stem, toolKey{v.Server, v.Own}, voter}] = struct{}{}
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
		v := Vote{Stem: k.stem, Server: k.tool.server, Own: k.tool.own, Principal: fmt.Sprintf("%016x", k.voter)}
		for _, known := range l.words[k.stem][k.tool] {
			if known.voter == k.voter {
				v.Weight, v.At = known.weight, time.Unix(known.at, 0)
			}
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

// Load returns all votes in no particular order.
func (m *MemoryLearning) Load(context.Context) ([]Vote, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.votes)), nil
}

// Save stores votes.
func (m *MemoryLearning) Save(_ context.Context, votes []Vote) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range votes {
		k := Vote{Stem: v.Stem, Server: v.Server, Own: v.Own, Principal: v.Principal}
		if v.Weight == 0 {
			delete(m.votes, k)
		} else {
			m.votes[k] = v
		}
	}
	return nil
}
