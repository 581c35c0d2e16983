// Package flat stores vectors in memory and compares a query with each of them, which takes
// 1 ms for 10,000 vectors of dimension 256. A [VectorCache] can persist them.
package flat

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcp-aggregator/modules/dense"
)

// VectorCache persists vectors.
type VectorCache interface {
	// CachedVectors returns the cached vectors among hashes and marks them as used.
	CachedVectors(ctx context.Context, model string, dimension int, hashes [][32]byte) (map[[32]byte][]float32, error)
	// CacheVectors adds or replaces vectors.
	CacheVectors(ctx context.Context, model string, dimension int, vectors map[[32]byte][]float32) error
	// DeleteUnusedVectors deletes the vectors that were last cached or returned before the
	// given time. It may record a use up to a day late.
	DeleteUnusedVectors(ctx context.Context, before time.Time) error
}

// Store is a [dense.VectorStore] in memory. Its methods are safe for concurrent use.
type Store struct {
	cache VectorCache // nil for none

	mu     sync.RWMutex
	spaces map[dense.Space]*table
}

var _ dense.VectorStore = (*Store)(nil)

// New returns an empty store, which reads missing vectors from cache unless that is nil.
func New(cache VectorCache) *Store {
	return &Store{cache: cache, spaces: map[dense.Space]*table{}}
}

// Put implements [dense.VectorStore].
func (s *Store) Put(ctx context.Context, space dense.Space, vectors []dense.Vector) error {
	values := make(map[dense.Hash][]float32, len(vectors))
	for _, v := range vectors {
		if len(v.Values) != space.Dimension {
			return fmt.Errorf("vectors: the vector has %d dimensions, not %d", len(v.Values), space.Dimension)
		}
		values[v.Hash] = v.Values
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.cache != nil {
		if err := s.cache.CacheVectors(ctx, space.Model, space.Dimension, values); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table(space)
	for _, v := range vectors {
		t.put(v)
	}
	return nil
}

// table returns the table of a space. The caller holds the lock.
func (s *Store) table(space dense.Space) *table {
	t := s.spaces[space]
	if t == nil {
		t = &table{dimension: space.Dimension, rows: map[dense.Hash]int{}}
		s.spaces[space] = t
	}
	return t
}

// Get implements [dense.VectorStore].
func (s *Store) Get(ctx context.Context, space dense.Space, hashes []dense.Hash) (map[dense.Hash][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make(map[dense.Hash][]float32, len(hashes))
	var others []dense.Hash
	s.mu.RLock()
	t := s.spaces[space]
	for _, hash := range hashes {
		if values := t.get(hash); values != nil {
			found[hash] = slices.Clone(values)
		} else {
			others = append(others, hash)
		}
	}
	s.mu.RUnlock()
	if s.cache == nil || len(others) == 0 {
		return found, nil
	}
	cached, err := s.cache.CachedVectors(ctx, space.Model, space.Dimension, others)
	if err != nil {
		return nil, err
	}
	for hash, values := range cached {
		if len(values) == space.Dimension {
			found[hash] = values
		}
	}
	return found, nil
}

// Refresh implements [dense.VectorStore]. Vectors found only in the cache become
// searchable.
func (s *Store) Refresh(ctx context.Context, space dense.Space, points []dense.Point) ([]dense.Hash, error) {
	hashes := make([]dense.Hash, len(points))
	for i, p := range points {
		hashes[i] = p.Hash
	}
	found, err := s.inUse(ctx, space, hashes)
	if err != nil {
		return nil, err
	}
	known := make([]dense.Hash, 0, len(found))
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table(space)
	for _, p := range points {
		if values := found[p.Hash]; values != nil {
			t.put(dense.Vector{Point: p, Values: values})
			known = append(known, p.Hash)
		}
	}
	return known, nil
}

// inUse returns the stored vectors among hashes. It reads from the cache, if there is one,
// so that the cache marks them as used, too.
func (s *Store) inUse(ctx context.Context, space dense.Space, hashes []dense.Hash) (map[dense.Hash][]float32, error) {
	if s.cache == nil {
		return s.Get(ctx, space, hashes)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, err := s.cache.CachedVectors(ctx, space.Model, space.Dimension, hashes)
	for hash, values := range found {
		if len(values) != space.Dimension {
			delete(found, hash)
		}
	}
	return found, err
}

// Nearest implements [dense.VectorStore]. It is exact.
func (s *Store) Nearest(ctx context.Context, space dense.Space, query []float32, k int, servers []string) ([]dense.Neighbor, error) {
	if len(query) != space.Dimension {
		return nil, fmt.Errorf("vectors: the query has %d dimensions, not %d", len(query), space.Dimension)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.spaces[space].nearest(query, k, servers), nil
}

// DeleteUnused implements [dense.VectorStore].
func (s *Store) DeleteUnused(ctx context.Context, before time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	for space, t := range s.spaces {
		t.deleteUnused(before)
		if len(t.hashes) == 0 {
			delete(s.spaces, space)
		}
	}
	s.mu.Unlock()
	if s.cache == nil {
		return nil
	}
	return s.cache.DeleteUnusedVectors(ctx, before)
}
