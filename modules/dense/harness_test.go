package dense_test

import (
	"context"
	"hash/fnv"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/dense/flat"
	"mcp-aggregator/testutil"
)

func TestMain(m *testing.M) { os.Exit(testutil.Suite{Tests: m}.Run()) }

// size is the dimension of the vectors, large enough that few words collide.
const size = 1009

// embedder counts words, unless answer replaces that.
type embedder struct {
	mu        sync.Mutex
	dimension int
	answer    func(ctx context.Context, texts []string) ([][]float32, error) // nil means counting words
	requests  int
	texts     map[string]int // number of times each was embedded
	under     int            // current requests
	most      int            // maximum of concurrent requests
}

func newEmbedder() *embedder { return &embedder{dimension: size, texts: map[string]int{}} }

func (*embedder) Model() string { return "words" }

func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.mu.Lock()
	e.requests++
	e.under++
	e.most = max(e.most, e.under)
	for _, text := range texts {
		e.texts[text]++
	}
	answer, dimension := e.answer, e.dimension
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.under--
		e.mu.Unlock()
	}()
	if answer != nil {
		return answer(ctx, texts)
	}
	return count(texts, dimension), nil
}

// count returns vectors of word counts.
func count(texts []string, dimension int) [][]float32 {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, dimension)
		for word := range strings.FieldsSeq(strings.ToLower(strings.Trim(text, "."))) {
			sum := fnv.New32a()
			_, _ = sum.Write([]byte(strings.Trim(word, ".,:")))
			vectors[i][sum.Sum32()%uint32(dimension)]++
		}
	}
	return vectors
}

// does replaces the behavior of the embedder; nil restores it.
func (e *embedder) does(answer func(ctx context.Context, texts []string) ([][]float32, error)) {
	e.mu.Lock()
	e.answer = answer
	e.mu.Unlock()
}

func (e *embedder) resize(dimension int) {
	e.mu.Lock()
	e.dimension = dimension
	e.mu.Unlock()
}

// asked returns the number of requests, and the number of texts for tools of a server.
func (e *embedder) asked(server string) (requests, texts int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for text, n := range e.texts {
		if strings.HasPrefix(text, server+" ") {
			texts += n
		}
	}
	return e.requests, texts
}

func hang(ctx context.Context, _ []string) ([][]float32, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// vectors is a store that can fail.
type vectors struct {
	dense.VectorStore

	mu       sync.Mutex
	err      error
	searches atomic.Int32
}

func newVectors() *vectors { return &vectors{VectorStore: flat.New(nil)} }

func (v *vectors) away(err error) {
	v.mu.Lock()
	v.err = err
	v.mu.Unlock()
}

func (v *vectors) failure() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

// lose makes the store lose all its vectors.
func (v *vectors) lose() {
	v.mu.Lock()
	v.VectorStore = flat.New(nil)
	v.mu.Unlock()
}

func (v *vectors) store() dense.VectorStore {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.VectorStore
}

func (v *vectors) Put(ctx context.Context, space dense.Space, all []dense.Vector) error {
	if err := v.failure(); err != nil {
		return err
	}
	return v.store().Put(ctx, space, all)
}

func (v *vectors) Refresh(ctx context.Context, space dense.Space, points []dense.Point) ([]dense.Hash, error) {
	if err := v.failure(); err != nil {
		return nil, err
	}
	return v.store().Refresh(ctx, space, points)
}

func (v *vectors) Nearest(ctx context.Context, space dense.Space, query []float32, k int, servers []string) ([]dense.Neighbor, error) {
	v.searches.Add(1)
	if err := v.failure(); err != nil {
		return nil, err
	}
	return v.store().Nearest(ctx, space, query, k, servers)
}

// started is a started leg in a synctest bubble.
type started struct {
	*dense.Leg

	t *testing.T // for use inside the bubble
}

type scorer interface {
	Scores(ctx context.Context, query string, limit int) ([]dense.Score, error)
}

// run starts a leg in a synctest bubble, runs test and stops the leg.
func run(t *testing.T, e dense.Embedder, s dense.VectorStore, o dense.Options, test func(leg started)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		leg := dense.NewLeg(e, s, slog.New(slog.DiscardHandler), o)
		if err := leg.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := leg.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		}()
		test(started{leg, t})
	})
}

func tool(name, description string) dense.Tool {
	return dense.Tool{Payload: dense.Payload{Name: name}, Description: description}
}

// git returns the tools of a server.
func git() []dense.Tool {
	return []dense.Tool{tool("create_issue", "Open a ticket"), tool("deleteBranch", "Remove a line of work"), tool("list", "Show commits")}
}

// first returns the nearest tool as server.tool, or "".
func first(t *testing.T, leg scorer, query string) string {
	t.Helper()
	scores, err := leg.Scores(t.Context(), query, 3)
	if err != nil {
		t.Fatalf("scores: %v", err)
	}
	if len(scores) == 0 {
		return ""
	}
	return scores[0].Server + "." + scores[0].OriginalName
}
