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

// LearningOptions configure [Learning]. The zero value means the defaults.
type LearningOptions struct {
	Off bool // learn nothing; what is stored stays
	// Quorum is how many principals must have called a tool after a word before
	// their votes count. 0 means 2, so that nobody can change a ranking alone;
	// a program with a single user needs 1.
	Quorum     int
	HalfLife   time.Duration // after which a vote counts half; 0 means 30 days
	MaxVotes   int           // over all principals; 0 means 20,000
	FlushEvery time.Duration // interval between writes; 0 means one minute
	// ReloadEvery is the interval between reads of what other replicas have stored; 0
	// means five minutes.
	ReloadEvery time.Duration
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
	if o.ReloadEvery <= 0 {
		o.ReloadEvery = 5 * time.Minute
	}
	return o
}

const (
	maxVote        = 3                // maximum weight of one principal's vote for a word and a tool
	maxVoter       = 8                // one principal has at most MaxVotes divided by this
	unlistedWeight = .5               // weight of calling a tool that the search did not list
	minWeight      = .05              // votes below this weight are dropped
	learnedCalls   = 3                // calls after a search that count as its outcome
	learnedWithin  = 10 * time.Minute // and only within this time
	maxSessions    = 4096             // sessions whose last search is remembered
	maxToolName    = 512              // bytes; longer tool names are not learned
)

// Learning counts which tools are called after which words of a query, as votes of the
// calling principals. Its memory is bounded, and votes lose weight with age.
type Learning struct {
	store   LearningStore
	options LearningOptions
	log     *slog.Logger
	flusher

	mu       sync.RWMutex
	sessions map[string]*lastSearch
	ballots
	changed map[voteKey]struct{} // since the last write
}

// NewLearning returns a Learning that knows nothing until it is started.
func NewLearning(store LearningStore, log *slog.Logger, o LearningOptions) *Learning {
	return &Learning{
		store: store, options: o.withDefaults(), log: log,
		sessions: map[string]*lastSearch{}, ballots: newBallots(), changed: map[voteKey]struct{}{},
	}
}

// ballots are all votes.
type ballots struct {
	words   map[string]map[toolKey][]vote // by stem
	votes   int
	byVoter map[uint64]int // how many votes each principal has
}

func newBallots() ballots {
	return ballots{words: map[string]map[toolKey][]vote{}, byVoter: map[uint64]int{}}
}

// get returns a vote, if there is one.
func (b *ballots) get(k voteKey) (v vote, ok bool) {
	for _, v := range b.words[k.stem][k.tool] {
		if v.voter == k.voter {
			return v, true
		}
	}
	return vote{}, false
}

// insertVote adds a vote that is not there.
func (b *ballots) insertVote(k voteKey, v vote) {
	tools := b.words[k.stem]
	if tools == nil {
		tools = map[toolKey][]vote{}
		b.words[k.stem] = tools
	}
	tools[k.tool] = append(tools[k.tool], v)
	b.votes++
	b.byVoter[k.voter]++
}

// toolKey identifies a tool independently of its public name.
type toolKey struct{ server, own string }

// vote says how often a principal called a tool after a word.
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

// voterOf returns an id for a principal that does not reveal its name.
func voterOf(principal string) uint64 {
	sum := sha256.Sum256([]byte(principal))
	return binary.BigEndian.Uint64(sum[:])
}

// lastSearch is the last search of a session.
type lastSearch struct {
	voter  uint64
	stems  []string
	listed []toolKey
	at     time.Time
	calls  int // that may still count as its outcome
}

// Observe records what a session of a principal searched for and which results it got.
func (l *Learning) Observe(session, principal, query string, results Results) {
	if l.options.Off {
		return
	}
	stems, _ := queryStems(query)
	s := &lastSearch{voter: voterOf(principal), stems: stems, at: time.Now(), calls: learnedCalls}
	for _, h := range results.Hits {
		s.listed = append(s.listed, toolKey{h.Server, h.OriginalName})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.sessions[session]; !known && len(l.sessions) >= maxSessions {
		l.dropSession()
	}
	l.sessions[session] = s
}

// dropSession forgets one session: the one with the oldest search in a small sample.
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

// Called records that a session of a principal called a tool, given by the server's own
// name for it. The call counts as the outcome of the session's last search if that was
// recent.
func (l *Learning) Called(session, principal, server, own string) {
	if l.options.Off || len(own) > maxToolName {
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
		weight = unlistedWeight
	}
	for _, stem := range s.stems {
		l.addVote(voteKey{stem, tool, s.voter}, weight, now)
	}
}

// addVote adds weight to a vote.
func (l *Learning) addVote(k voteKey, weight float64, now time.Time) {
	l.changed[k] = struct{}{}
	votes := l.words[k.stem][k.tool]
	for i := range votes {
		if v := &votes[i]; v.voter == k.voter {
			v.weight, v.at = min(l.agedWeight(*v, now)+weight, maxVote), now.Unix()
			return
		}
	}
	if limit := l.options.MaxVotes / maxVoter; l.options.Quorum > 1 && l.byVoter[k.voter] >= limit {
		l.pruneVotes(now, limit*3/4, func(other voteKey) bool { return other.voter == k.voter })
	}
	if l.votes >= l.options.MaxVotes {
		l.pruneVotes(now, l.options.MaxVotes*3/4, func(voteKey) bool { return true })
	}
	l.insertVote(k, vote{k.voter, now.Unix(), min(weight, maxVote)})
}

// agedWeight returns the weight of a vote now.
func (l *Learning) agedWeight(v vote, now time.Time) float64 {
	age := time.Duration(max(now.Unix()-v.at, 0)) * time.Second
	return v.weight * math.Exp2(-float64(age)/float64(l.options.HalfLife))
}

// pruneVotes drops the lightest of the selected votes until at most keep remain.
func (l *Learning) pruneVotes(now time.Time, keep int, among func(voteKey) bool) {
	type weighed struct {
		key    voteKey
		weight float64
	}
	var all []weighed
	for stem, tools := range l.words {
		for tool, votes := range tools {
			for _, v := range votes {
				if k := (voteKey{stem, tool, v.voter}); among(k) {
					all = append(all, weighed{k, l.agedWeight(v, now)})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(a.weight, b.weight) })
	for i, w := range all {
		if w.weight >= minWeight && len(all)-i <= keep {
			break
		}
		l.dropVote(w.key)
	}
}

// maxChanged, times MaxVotes, bounds the changed votes that are kept while the store fails.
const maxChanged = 4

// dropVote forgets a vote. The store deletes it when it is saved with weight 0.
func (l *Learning) dropVote(k voteKey) {
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
	if len(l.changed) < maxChanged*l.options.MaxVotes { // or it comes back, and goes again
		l.changed[k] = struct{}{}
	}
}
