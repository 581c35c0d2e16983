// Package vectortest is the conformance suite of [dense.VectorStore]: what every engine
// has to do, each sentence of the contract.
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

// property is something that is true of each store.
type property func(t *testing.T, s dense.VectorStore)

// Run holds the store that open opens, an empty one for each property, against the
// contract. open sees to its end.
func Run(t *testing.T, open func(t *testing.T) dense.VectorStore) {
	t.Helper()
	for _, group := range []map[string]property{keeping(), using(), searching(), refusing()} {
		for name, holds := range group {
			t.Run(name, func(t *testing.T) { holds(t, open(t)) })
		}
	}
}

// odd is a text of much that is odd and yet a text.
const odd = "naïve 東京 \u202eright\u202c \"q\" 'q' \\ % _ $1 ? ; -- {a,b}"

// four is a space of four numbers.
func four() dense.Space { return dense.Space{Model: "a model " + odd, Dimension: 4} }

func hash(text string) dense.Hash { return sha256.Sum256([]byte(text)) }

// point is that of a tool, named server.tool.
func point(server, tool string) dense.Point {
	return dense.Point{Hash: hash(server + "." + tool), Payload: dense.Payload{ServerID: "id of " + server, Server: server, Name: tool}}
}

// vector is one of length 1.
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

// random is n vectors of as many servers as there are names, of numbers that are the same
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

// refresh returns how many of the points are stored.
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

// want compares neighbors with those of the points, in order.
func want(t *testing.T, got []dense.Neighbor, points ...dense.Point) {
	t.Helper()
	if len(got) != len(points) {
		t.Fatalf("%d are near, want %d: %v", len(got), len(points), got)
	}
	for i, p := range points {
		if got[i].Hash != p.Hash {
			t.Errorf("place %d is not of %s.%s", i, p.Server, p.Name)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

func same(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return near(float64(x), float64(y)) })
}

// merge makes one table of several.
func merge(tables ...map[string]property) map[string]property {
	all := map[string]property{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
