package flat_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-aggregator/modules/dense"
	"mcp-aggregator/modules/dense/flat"
	"mcp-aggregator/testutil/vectortest"
)

func TestTheStoreInMemoryKeepsTheContract(t *testing.T) {
	vectortest.Run(t, func(*testing.T) dense.VectorStore { return flat.New(nil) })
}

func TestTheStoreWithACacheKeepsTheContract(t *testing.T) {
	vectortest.Run(t, func(*testing.T) dense.VectorStore { return flat.New(&cache{}) })
}

// cache is a VectorCache in memory that can fail.
type cache struct {
	mu      sync.Mutex
	away    error
	vectors map[string]map[[32]byte][]float32
}

func key(model string, dimension int) string { return model + "/" + strconv.Itoa(dimension) }

func (c *cache) CachedVectors(_ context.Context, model string, dimension int, hashes [][32]byte) (map[[32]byte][]float32, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[[32]byte][]float32{}
	for _, hash := range hashes {
		if values, ok := c.vectors[key(model, dimension)][hash]; ok {
			found[hash] = values
		}
	}
	return found, c.away
}

func (c *cache) CacheVectors(_ context.Context, model string, dimension int, vectors map[[32]byte][]float32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.vectors == nil {
		c.vectors = map[string]map[[32]byte][]float32{}
	}
	if c.vectors[key(model, dimension)] == nil {
		c.vectors[key(model, dimension)] = map[[32]byte][]float32{}
	}
	maps.Copy(c.vectors[key(model, dimension)], vectors)
	return c.away
}

func (c *cache) DeleteUnusedVectors(_ context.Context, before time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if before.After(time.Now()) {
		clear(c.vectors)
	}
	return c.away
}

func space(dimension int) dense.Space { return dense.Space{Model: "m", Dimension: dimension} }

func vector(name byte, values ...float32) dense.Vector {
	return dense.Vector{
		Point:  dense.Point{Hash: dense.Hash{name}, Payload: dense.Payload{Server: "s", Name: string(rune(name))}},
		Values: values,
	}
}

func TestTheCachePersistsVectors(t *testing.T) {
	var kept cache
	v := vector('a', 1, 0)
	if err := flat.New(&kept).Put(t.Context(), space(2), []dense.Vector{v}); err != nil {
		t.Fatal(err)
	}
	next := flat.New(&kept)
	known, err := next.Refresh(t.Context(), space(2), []dense.Point{v.Point})
	if err != nil || len(known) != 1 {
		t.Fatalf("got %v, %v", known, err)
	}
	if near, err := next.Nearest(t.Context(), space(2), []float32{1, 0}, 3, []string{"s"}); err != nil || len(near) != 1 {
		t.Errorf("got %v, %v", near, err)
	}
}

func TestACachedVectorOfAnotherLengthIsNotUsed(t *testing.T) {
	kept := cache{vectors: map[string]map[[32]byte][]float32{"m/2": {{'a'}: {1, 2, 3}}}}
	s := flat.New(&kept)
	if known, err := s.Refresh(t.Context(), space(2), []dense.Point{vector('a').Point}); err != nil || len(known) != 0 {
		t.Errorf("got %v, %v", known, err)
	}
	if got, err := s.Get(t.Context(), space(2), []dense.Hash{{'a'}}); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestErrorsOfTheCacheAreReturned(t *testing.T) {
	away := errors.New("away")
	s := flat.New(&cache{away: away})
	_, refreshed := s.Refresh(t.Context(), space(1), []dense.Point{vector('a').Point})
	_, got := s.Get(t.Context(), space(1), []dense.Hash{{'a'}})
	for what, err := range map[string]error{
		"put":     s.Put(t.Context(), space(1), []dense.Vector{vector('a', 1)}),
		"refresh": refreshed, "get": got,
		"delete": s.DeleteUnused(t.Context(), time.Now()),
	} {
		if !errors.Is(err, away) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestDeletingKeepsTheOtherRowsIntact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := flat.New(nil)
		for name := range byte(9) {
			values := make([]float32, 9)
			values[name] = 1
			if err := s.Put(t.Context(), space(9), []dense.Vector{vector(name, values...)}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Hour)
		kept := []dense.Point{vector(1).Point, vector(4).Point, vector(8).Point}
		if _, err := s.Refresh(t.Context(), space(9), kept); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteUnused(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		for name := range byte(9) {
			query := make([]float32, 9)
			query[name] = 1
			near, err := s.Nearest(t.Context(), space(9), query, 9, []string{"s"})
			if err != nil {
				t.Fatal(err)
			}
			if stays := name == 1 || name == 4 || name == 8; stays != (len(near) == 1 && near[0].Hash[0] == name) {
				t.Errorf("near %d is %v", name, near)
			}
		}
	})
}

func BenchmarkNearestOf10000(b *testing.B) {
	s, servers := flat.New(nil), []string{"s"}
	vectors := make([]dense.Vector, 10_000)
	for i := range vectors {
		values := make([]float32, 256)
		for j := range values {
			values[j] = rand.Float32() - .5
		}
		vectors[i] = dense.Vector{Point: dense.Point{Hash: dense.Hash{byte(i), byte(i >> 8)}, Payload: dense.Payload{Server: "s"}}, Values: values}
	}
	if err := s.Put(b.Context(), space(256), vectors); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, err := s.Nearest(b.Context(), space(256), vectors[i%len(vectors)].Values, 20, servers); err != nil {
			b.Fatal(err)
		}
	}
}
