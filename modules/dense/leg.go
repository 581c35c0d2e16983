package dense

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"
)

// Leg finds the tools that it holds by meaning. Its methods may be called from several
// goroutines.
type Leg struct {
	embedder Embedder
	store    VectorStore
	options  Options
	log      *slog.Logger

	budget  *budget
	breaker *gobreaker.CircuitBreaker[[]Score] // of Scores
	queries *lru.Cache[string, []float32]
	slots   chan struct{} // of queries that are embedded
	wake    chan struct{}
	cancel  context.CancelFunc
	done    chan struct{}

	mu               sync.RWMutex
	space            Space // without a dimension until the embedder has answered
	tools            map[Hash]*held
	servers          map[string][]Hash
	stored, rejected int // how many of tools are
	failure          error
	doubted          time.Time // when the store was last asked for all tools because it failed
}

// held is a tool that is searched.
type held struct {
	Tool

	refresh  bool      // the store is to be asked for it
	stored   bool      // it has a vector
	rejected bool      // the embedder does not take it
	values   []float32 // its vector, if the store has not taken it yet
}

// Status says how far the tools are embedded.
type Status struct {
	Model                     string
	Dimension                 int // 0: the embedder has not answered
	Tools, Embedded, Rejected int
	Err                       error // of the last attempt, nil if it went well
}

// NewLeg returns a leg without tools. Start begins to embed what it is given.
func NewLeg(embedder Embedder, store VectorStore, log *slog.Logger, o Options) *Leg {
	o = o.withDefaults()
	queries, err := lru.New[string, []float32](o.QueryCache)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &Leg{
		embedder: embedder, store: store, options: o, log: log,
		budget:  &budget{requestLimit: o.RequestsPerDay, tokenLimit: o.TokensPerDay},
		breaker: newBreaker(),
		queries: queries,
		slots:   make(chan struct{}, o.QueryConcurrency),
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		tools:   map[Hash]*held{},
		servers: map[string][]Hash{},
	}
}

// Start begins to embed. It waits for nobody. The embedder has been started.
func (l *Leg) Start(context.Context) error { //nolint:contextcheck // Fx's context ends when Start returns
	l.mu.Lock()
	l.space.Model = l.embedder.Model()
	l.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background()) // it outlives the start
	l.cancel = cancel
	go func() {
		defer close(l.done)
		l.run(ctx)
	}()
	return nil
}

// Stop ends what Start began.
func (l *Leg) Stop(ctx context.Context) error {
	l.cancel()
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Replace makes tools those of a server. What has not changed keeps its vectors.
func (l *Leg) Replace(server string, tools []Tool) {
	now := make(map[Hash]Tool, len(tools))
	for _, t := range tools {
		t.Server = server
		now[t.hash(t.text(l.options.ToolPrefix, l.options.TextBytes))] = t
	}
	l.mu.Lock()
	for _, hash := range l.servers[server] {
		if _, stays := now[hash]; !stays {
			delete(l.tools, hash)
		}
	}
	hashes := make([]Hash, 0, len(now))
	for hash, tool := range now {
		hashes = append(hashes, hash)
		switch before := l.tools[hash]; {
		case before == nil:
			l.tools[hash] = &held{Tool: tool, refresh: true}
		case !before.Equal(tool.Payload):
			before.Payload, before.refresh = tool.Payload, true
		}
	}
	l.servers[server] = hashes
	l.count()
	l.mu.Unlock()
	l.awake()
}

// Remove drops the tools of a server. Their vectors stay in the store.
func (l *Leg) Remove(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, hash := range l.servers[server] {
		delete(l.tools, hash)
	}
	delete(l.servers, server)
	l.count()
}

// count counts the tools anew, with the lock held.
func (l *Leg) count() {
	l.stored, l.rejected = 0, 0
	for _, t := range l.tools {
		switch {
		case t.stored:
			l.stored++
		case t.rejected:
			l.rejected++
		}
	}
}

// awake has the goroutine look for what is to be embedded.
func (l *Leg) awake() {
	select {
	case l.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Status returns the state of the leg.
func (l *Leg) Status() Status {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Status{
		Model: l.space.Model, Dimension: l.space.Dimension,
		Tools: len(l.tools), Embedded: l.stored, Rejected: l.rejected, Err: l.failure,
	}
}
