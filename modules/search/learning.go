package search

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"
)

// LearningOptions are how much is learned. The zero value has the defaults.
type LearningOptions struct {
	Off bool // learn nothing, and forget nothing that is stored
	// Quorum is how many principals must have called a tool after a word before
	// that counts. 0 is 2, so that nobody moves a ranking alone; where there is
	// one user only, it has to be 1.
	Quorum     int
	HalfLife   time.Duration // after which what was learned counts half; 0 is 30 days
	MaxVotes   int           // kept of all principals; 0 is 20,000
	FlushEvery time.Duration // from one time of storing to the next; 0 is a minute
}

func (o LearningOptions) withDefaults() LearningOptions {
	if o.Quorum <= 0 {
		o.Quorum = 2
	}
	if o.HalfLife <= 0 {
		o.HalfLife = 30 * 24 * time.Hour
	}
	if o.MaxVotes <= 0 {
		o.MaxVotes = 20_000
	}
	if o.FlushEvery <= 0 {
		o.FlushEvery = time.Minute
	}
	return o
}

const (
	maxVote       = 3                // what one principal's calls count at most for a word and a tool
	maxVoter      = 8                // one principal has at most this part of MaxVotes
	unlisted      = .5               // what a call counts of a tool that the search did not list
	forgotten     = .05              // the weight below which a vote is dropped
	learnedCalls  = 3                // calls that a search explains
	learnedWithin = 10 * time.Minute // of the search
	maxSessions   = 4096             // whose last search is remembered
)

// Learning counts which tools are called after which words of a query, as votes of
// the principals that call them. What it keeps is bounded and ages.
type Learning struct {
	store   LearningStore
	options LearningOptions
	log     *slog.Logger
	flusher

	mu       sync.RWMutex
	sessions map[string]*lastSearch
	words    map[string]map[toolKey][]vote // by stem
	votes    int
	byVoter  map[uint64]int       // how many votes each principal has
	changed  map[voteKey]struct{} // since they were stored
}

// NewLearning returns a learning that knows nothing until it is started.
func NewLearning(store LearningStore, log *slog.Logger, o LearningOptions) *Learning {
	return &Learning{
		store: store, options: o.withDefaults(), log: log,
		sessions: map[string]*lastSearch{}, words: map[string]map[toolKey][]vote{},
		byVoter: map[uint64]int{}, changed: map[voteKey]struct{}{},
	}
}

// toolKey names a tool, whatever its public name is.
type toolKey struct{ server, own string }

// vote is how often a principal called a tool after a word.
type vote struct {
	voter  uint64
	at     int64 // Unix seconds
	weight float64
}

type voteKey struct {
	stem  string
	tool  toolKey
	voter uint64
}

// voterOf returns the number of a principal, which does not tell its name.
func voterOf(principal string) uint64 {
	sum := sha256.Sum256([]byte(principal))
	return binary.BigEndian.Uint64(sum[:])
}

// lastSearch is what a session searched for last.
type lastSearch struct {
	voter  uint64
	stems  []string
	listed []toolKey
	at     time.Time
	calls  int // that it may still explain
}

// Observe notes what a session of a principal searched for, and what it was shown.
func (l *Learning) Observe(session, principal, query string, results Results) {
	if l.options.Off {
		return
	}
	stems, _ := queryStems(query)
	s := &lastSearch{voter: voterOf(principal), stems: stems, at: time.Now(), calls: learnedCalls}
	for _, h := range results.Hits {
		s.listed = append(s.listed, toolKey{h.Server, h.Own})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.sessions[session]; !known && len(l.sessions) >= maxSessions {
		l.dropSession()
	}
	l.sessions[session] = s
}

// dropSession forgets the session whose search is the oldest of a few.
func (l *Learning) dropSession() {
	oldest, seen := "", 0
	for name, s := range l.sessions {
		if seen == 0 || s.at.Before(l.sessions[oldest].at) {
			oldest = name
		}
		if seen++; seen == 8 {
			break
		}
	}
	delete(l.sessions, oldest)
}

// Called notes that a session of a principal called a tool by the name that its
// server gave it: that is what the session's last search was for, if it was a few
// calls ago at most.
func (l *Learning) Called(session, principal, server, own string) {
	if l.options.Off {
		return
	}
	now, tool := time.Now(), toolKey{server, own}
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.sessions[session]
	if !ok || s.voter != voterOf(principal) {
		return
	}
	s.calls--
	late := now.Sub(s.at) > learnedWithin
	if s.calls <= 0 || late {
		delete(l.sessions, session)
	}
	if late {
		return
	}
	weight := 1.
	if !slices.Contains(s.listed, tool) {
		weight = unlisted
	}
	for _, stem := range s.stems {
		l.count(voteKey{stem, tool, s.voter}, weight, now)
	}
}

// count adds weight to a vote.
func (l *Learning) count(k voteKey, weight float64, now time.Time) {
	l.changed[k] = struct{}{}
	votes := l.words[k.stem][k.tool]
	for i := range votes {
		if v := &votes[i]; v.voter == k.voter {
			v.weight, v.at = min(l.aged(*v, now)+weight, maxVote), now.Unix()
			return
		}
	}
	if most := l.options.MaxVotes / maxVoter; l.options.Quorum > 1 && l.byVoter[k.voter] >= most {
		l.prune(now, most*3/4, func(other voteKey) bool { return other.voter == k.voter })
	}
	if l.votes >= l.options.MaxVotes {
		l.prune(now, l.options.MaxVotes*3/4, func(voteKey) bool { return true })
	}
	l.insert(k, vote{k.voter, now.Unix(), min(weight, maxVote)})
}

func (l *Learning) insert(k voteKey, v vote) {
	tools := l.words[k.stem]
	if tools == nil {
		tools = map[toolKey][]vote{}
		l.words[k.stem] = tools
	}
	tools[k.tool] = append(tools[k.tool], v)
	l.votes++
	l.byVoter[k.voter]++
}

// aged returns what a vote counts now.
func (l *Learning) aged(v vote, now time.Time) float64 {
	age := time.Duration(max(now.Unix()-v.at, 0)) * time.Second
	return v.weight * math.Exp2(-float64(age)/float64(l.options.HalfLife))
}

// prune drops the lightest of some votes, until so many of them are kept.
func (l *Learning) prune(now time.Time, keep int, among func(voteKey) bool) {
	type weighed struct {
		key    voteKey
		weight float64
	}
	var all []weighed
	for stem, tools := range l.words {
		for tool, votes := range tools {
			for _, v := range votes {
				if k := (voteKey{stem, tool, v.voter}); among(k) {
					all = append(all, weighed{k, l.aged(v, now)})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(a.weight, b.weight) })
	for i, w := range all {
		if w.weight >= forgotten && len(all)-i <= keep {
			break
		}
		l.drop(w.key)
	}
}

// drop forgets a vote, which the store is told as a weight of 0.
func (l *Learning) drop(k voteKey) {
	tools := l.words[k.stem]
	votes := slices.DeleteFunc(tools[k.tool], func(v vote) bool { return v.voter == k.voter })
	if tools[k.tool] = votes; len(votes) == 0 {
		delete(tools, k.tool)
	}
	if len(tools) == 0 {
		delete(l.words, k.stem)
	}
	l.votes--
	if l.byVoter[k.voter]--; l.byVoter[k.voter] == 0 {
		delete(l.byVoter, k.voter)
	}
	l.changed[k] = struct{}{}
}
