// Package vectortest is the conformance test of [dense.VectorStore], which every
// implementation must pass.
package vectortest

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mcp-aggregator/modules/dense"
)

// property tests one property of a store.
type property func(t *testing.T, s dense.VectorStore)

// Run tests that stores satisfy the contract. It calls open for each property, which must
// return an empty store and register its cleanup.
func Run(t *testing.T, open func(t *testing.T) dense.VectorStore) {
	t.Helper()
	for _, group := range []map[string]property{keeping(), using(), searching(), rejecting()} {
		for name, holds := range group {
			t.Run(name, func(t *testing.T) { holds(t, open(t)) })
		}
	}
}

// odd is valid text with unusual characters.
const odd = "naïve 東京 \u202eright\u202c \"q\" 'q' \\ % _ $1 ? ; -- {a,b}"

// four returns a space of dimension 4.
func four() dense.Space { return dense.Space{Model: "a model " + odd, Dimension: 4} }

func hash(text string) dense.Hash { return sha256.Sum256([]byte(text)) }

// point returns the point of a tool named server.tool.
func point(server, tool string) dense.Point {
	return dense.Point{Hash: hash(server + "." + tool), Payload: dense.Payload{ServerID: "id of " + server, Server: server, Name: tool}}
}

// vector returns a vector, scaled to length 1.
func vector(p dense.Point, values ...float32) dense.Vector {
	return dense.Vector{Point: p, Values: unit(values)}
}

func unit(values []float32) []float32 {
	var sum float64
	for _, x := range values {
		sum += float64(x) * float64(x)
	}
	scaled := slices.Clone(values)
	for i := range scaled {
		if sum > 0 {
			scaled[i] = float32(float64(scaled[i]) / math.Sqrt(sum))
		}
	}
	return scaled
}

// random returns n vectors whose tools are spread over the servers. The values are the same
// in each run.
func random(n, dimension int, servers ...string) []dense.Vector {
	source := rand.New(rand.NewPCG(1, uint64(n)))
	all := make([]dense.Vector, n)
	for i := range all {
		values := make([]float32, dimension)
		for j := range values {
			values[j] = float32(source.NormFloat64())
		}
		all[i] = vector(point(servers[i%len(servers)], fmt.Sprint("tool", i)), values...)
	}
	return all
}

func put(t *testing.T, s dense.VectorStore, space dense.Space, vectors ...dense.Vector) {
	t.Helper()
	for some := range slices.Chunk(vectors, 100) {
		if err := s.Put(t.Context(), space, some); err != nil {
			t.Fatalf("put: %v", err)
		}
	}
}

func get(t *testing.T, s dense.VectorStore, space dense.Space, hashes ...dense.Hash) map[dense.Hash][]float32 {
	t.Helper()
	found, err := s.Get(t.Context(), space, hashes)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return found
}

// refresh returns the hashes of the stored points.
func refresh(t *testing.T, s dense.VectorStore, space dense.Space, points ...dense.Point) []dense.Hash {
	t.Helper()
	known, err := s.Refresh(t.Context(), space, points)
	if err != nil {
		t.Fatalf("refresh: %v", err)
	}
	return known
}

func nearest(t *testing.T, s dense.VectorStore, space dense.Space, query []float32, k int, servers ...string) []dense.Neighbor {
	t.Helper()
	found, err := s.Nearest(t.Context(), space, unit(query), k, servers)
	if err != nil {
		t.Fatalf("nearest: %v", err)
	}
	return found
}

// want compares neighbors with the expected points, in order.
func want(t *testing.T, got []dense.Neighbor, points ...dense.Point) {
	t.Helper()
	if len(got) != len(points) {
		t.Fatalf("got %d neighbors, want %d: %v", len(got), len(points), got)
	}
	for i, p := range points {
		if got[i].Hash != p.Hash {
			t.Errorf("neighbor %d is not %s.%s", i, p.Server, p.Name)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

func same(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return near(float64(x), float64(y)) })
}

// merge returns the union of several tables.
func merge(tables ...map[string]property) map[string]property {
	all := map[string]property{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
