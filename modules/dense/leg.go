package dense

import (
	"context"
	"log/slog"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/sony/gobreaker/v2"
)

// Leg finds the tools it holds by meaning. Its methods are safe for concurrent use.
type Leg struct {
	embedder Embedder
	store    VectorStore
	options  Options
	log      *slog.Logger

	budget       *budget
	embedBreaker *gobreaker.CircuitBreaker[[][]float32] // for queries
	storeBreaker *gobreaker.CircuitBreaker[[]Neighbor]  // for queries
	queries      *lru.Cache[string, []float32]
	slots        chan struct{} // limits concurrent embedding of queries
	wake         chan struct{}
	cancel       context.CancelFunc
	done         chan struct{}

	mu               sync.RWMutex
	space            Space // the dimension is 0 until the embedder has answered
	tools            map[Hash]*indexedTool
	servers          map[string][]Hash
	stored, rejected int // number of tools with that state
	failure          error
	rechecked        time.Time // when a failure last made recheckStore refresh all tools
}

// indexedTool is a tool that the leg holds.
type indexedTool struct {
	Tool

	refresh  bool      // whether to refresh it in the store
	stored   bool      // whether the store has its vector
	rejected bool      // whether the embedder rejected it
	values   []float32 // its vector, until the store accepts it
}

// Status says how many tools are embedded.
type Status struct {
	Model                     string
	Dimension                 int // 0 until the embedder has answered
	Tools, Embedded, Rejected int
	Err                       error // of the last attempt
}

// NewLeg returns a leg without tools, which embeds nothing before Start.
func NewLeg(embedder Embedder, store VectorStore, log *slog.Logger, o Options) *Leg {
	o = o.withDefaults()
	queries, err := lru.New[string, []float32](o.QueryCache)
	if err != nil {
		panic(err) // the size is not positive
	}
	return &Leg{
		embedder: embedder, store: store, options: o, log: log,
		budget:       &budget{requestLimit: o.RequestsPerDay, tokenLimit: o.TokensPerDay},
		embedBreaker: newBreaker[[][]float32](), storeBreaker: newBreaker[[]Neighbor](),
		queries: queries,
		slots:   make(chan struct{}, o.QueryConcurrency),
		wake:    make(chan struct{}, 1),
		done:    make(chan struct{}),
		tools:   map[Hash]*indexedTool{},
		servers: map[string][]Hash{},
	}
}

// Start starts embedding in the background. The embedder must have been started.
func (l *Leg) Start(context.Context) error { //nolint:contextcheck // Fx's context ends when Start returns
	l.mu.Lock()
	l.space.Model = l.embedder.Model()
	l.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background()) // outlives Start
	l.cancel = cancel
	go func() {
		defer close(l.done)
		l.run(ctx)
	}()
	return nil
}

// Stop stops embedding.
func (l *Leg) Stop(ctx context.Context) error {
	l.cancel()
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Replace sets the tools of a server. Unchanged tools keep their vectors.
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
			l.tools[hash] = &indexedTool{Tool: tool, refresh: true}
		case !before.Equal(tool.Payload):
			before.Payload, before.refresh = tool.Payload, true
		}
	}
	l.servers[server] = hashes
	l.recount()
	l.mu.Unlock()
	l.wakeWorker()
}

// Remove removes the tools of a server. Their vectors stay in the store.
func (l *Leg) Remove(server string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, hash := range l.servers[server] {
		delete(l.tools, hash)
	}
	delete(l.servers, server)
	l.recount()
}

// recount updates the numbers of stored and rejected tools. The caller holds the lock.
func (l *Leg) recount() {
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

// wakeWorker makes the goroutine look for tools to embed.
func (l *Leg) wakeWorker() {
	select {
	case l.wake <- struct{}{}:
	default: // it is already going to
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
