package storetest

import (
	"context"
	"math"
	"testing"
	"time"
)

// VectorCache is what the search by meaning keeps vectors in.
type VectorCache interface {
	CachedVectors(ctx context.Context, model string, dimension int, hashes [][32]byte) (map[[32]byte][]float32, error)
	CacheVectors(ctx context.Context, model string, dimension int, vectors map[[32]byte][]float32) error
	DeleteUnusedVectors(ctx context.Context, before time.Time) error
}

type (
	hash    = [32]byte
	vectors = map[hash][]float32
)

// RunVectors holds the cache that open opens, a new and empty one for each property,
// against the contract. open sees to its end.
func RunVectors(t *testing.T, open func(t *testing.T) VectorCache) {
	t.Helper()
	for name, holds := range map[string]func(t *testing.T, c VectorCache){
		"vectors come back to the bit, of their model and dimension": func(t *testing.T, c VectorCache) {
			all := vectors{{1}: {1, -2.5, math.SmallestNonzeroFloat32}, {0, 2}: {math.MaxFloat32, float32(math.Copysign(0, -1)), 1. / 3}}
			cache(t, c, OddText, 3, all)
			equal(t, cached(t, c, OddText, 3, hash{1}, hash{0, 2}, hash{3}), all)
			equal(t, cached(t, c, OddText, 4, hash{1}), vectors{})
			equal(t, cached(t, c, "other", 3, hash{1}), vectors{})
			equal(t, cached(t, c, OddText, 3), vectors{})
		},
		"a vector is replaced": func(t *testing.T, c VectorCache) {
			cache(t, c, "m", 1, vectors{{1}: {1}, {2}: {2}})
			cache(t, c, "m", 1, vectors{{1}: {3}})
			cache(t, c, "m", 1, vectors{})
			equal(t, cached(t, c, "m", 1, hash{1}, hash{2}), vectors{{1}: {3}, {2}: {2}})
		},
		"what was not used for days is deleted, of all models": func(t *testing.T, c VectorCache) {
			cache(t, c, "m", 1, vectors{{1}: {1}})
			cache(t, c, "n", 2, vectors{{1}: {1, 2}})
			forget(t, c, time.Now().Add(-24*time.Hour))
			equal(t, cached(t, c, "m", 1, hash{1}), vectors{{1}: {1}})
			forget(t, c, time.Now().Add(48*time.Hour))
			equal(t, cached(t, c, "m", 1, hash{1}), vectors{})
			equal(t, cached(t, c, "n", 2, hash{1}), vectors{})
		},
		"there may be many": func(t *testing.T, c VectorCache) {
			all := vectors{}
			var hashes []hash
			for i := range 1203 {
				h := hash{byte(i), byte(i >> 8)}
				all[h], hashes = []float32{float32(i), 1}, append(hashes, h)
			}
			cache(t, c, "m", 2, all)
			equal(t, cached(t, c, "m", 2, hashes...), all)
		},
	} {
		t.Run(name, func(t *testing.T) { holds(t, open(t)) })
	}
}

func cache(t *testing.T, c VectorCache, model string, dimension int, all vectors) {
	t.Helper()
	if err := c.CacheVectors(t.Context(), model, dimension, all); err != nil {
		t.Fatalf("cache: %v", err)
	}
}

func cached(t *testing.T, c VectorCache, model string, dimension int, hashes ...hash) vectors {
	t.Helper()
	found, err := c.CachedVectors(t.Context(), model, dimension, hashes)
	if err != nil {
		t.Fatalf("cached: %v", err)
	}
	return found
}

func forget(t *testing.T, c VectorCache, before time.Time) {
	t.Helper()
	if err := c.DeleteUnusedVectors(t.Context(), before); err != nil {
		t.Fatalf("delete unused: %v", err)
	}
}
