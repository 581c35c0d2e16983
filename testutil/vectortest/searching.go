package vectortest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"testing"

	"mcp-aggregator/modules/dense"
)

func searching() map[string]property {
	a, b, c := point("git", "a"), point("git", "b"), point("mail", "c")
	three := []dense.Vector{vector(a, 4, 3, 0, 0), vector(b, 3, 4, 0, 0), vector(c, 1, 0, 0, 0)}
	return merge(map[string]property{
		"the nearest comes first, with its cosine": func(t *testing.T, s dense.VectorStore) {
			put(t, s, four(), three...)
			got := nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "git", "mail")
			want(t, got, c, a, b)
			if !near(got[0].Cosine, 1) || !near(got[1].Cosine, .8) || !near(got[2].Cosine, .6) || got[0].Cosine > 1 {
				t.Errorf("got %v", got)
			}
		},
		"at most k are returned": func(t *testing.T, s dense.VectorStore) {
			put(t, s, four(), three...)
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 2, "git", "mail"), c, a)
		},
		"other servers are not searched": func(t *testing.T, s dense.VectorStore) {
			put(t, s, four(), three...)
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "mail", "none"), c)
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 1, "git"), a)
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "none"))
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3))
		},
		"orthogonal, opposite and zero vectors are not near": func(t *testing.T, s dense.VectorStore) {
			opposite, nothing := vector(point("git", "opposite"), -1, 0, 0, 0), vector(point("git", "nothing"), 0, 0, 0, 0)
			square := vector(point("git", "square"), 0, 1, 0, 0)
			put(t, s, four(), opposite, nothing, square, vector(a, 1, 1, 0, 0))
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 9, "git"), a)
			want(t, nearest(t, s, four(), []float32{0, 0, 0, 0}, 9, "git"))
		},
	}, many())
}

func many() map[string]property {
	return map[string]property{
		"nearly all of the nearest among many are found": func(t *testing.T, s dense.VectorStore) {
			space := dense.Space{Model: "many", Dimension: 32}
			vectors := random(1000, 32, "a", "b", "c", "d")
			put(t, s, space, vectors...)
			found := 0
			for _, query := range random(20, 32, "query") {
				found += common(nearest(t, s, space, query.Values, 10, "a", "b", "c", "d"), exact(vectors, query.Values, 10))
			}
			if found < 180 {
				t.Errorf("%d of 200 are found", found)
			}
		},
		"a server among many is searched in full": func(t *testing.T, s dense.VectorStore) {
			space := dense.Space{Model: "many", Dimension: 32}
			vectors := random(1000, 32, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t")
			put(t, s, space, vectors...)
			own := slices.DeleteFunc(slices.Clone(vectors), func(v dense.Vector) bool { return v.Server != "k" })
			found, wanted := 0, 0
			for _, query := range random(20, 32, "query") {
				best := exact(own, query.Values, 5)
				found += common(nearest(t, s, space, query.Values, 5, "k"), best)
				wanted += len(best)
			}
			if found*10 < wanted*9 {
				t.Errorf("%d of %d are found", found, wanted)
			}
		},
		"concurrent use is safe": func(t *testing.T, s dense.VectorStore) {
			space := dense.Space{Model: "together", Dimension: 8}
			vectors := random(200, 8, "a", "b")
			var group sync.WaitGroup
			for some := range slices.Chunk(vectors, 50) {
				group.Go(func() {
					if err := s.Put(t.Context(), space, some); err != nil {
						t.Errorf("put: %v", err)
					}
					if _, err := s.Nearest(t.Context(), space, some[0].Values, 5, []string{"a"}); err != nil {
						t.Errorf("nearest: %v", err)
					}
				})
			}
			group.Wait()
			for _, v := range vectors {
				if len(get(t, s, space, v.Hash)) != 1 {
					t.Fatalf("%s is missing", v.Name)
				}
			}
		},
	}
}

// exact returns the k nearest vectors by brute force.
func exact(vectors []dense.Vector, query []float32, k int) map[dense.Hash]bool {
	var all []dense.Neighbor
	for _, v := range vectors {
		var sum float64
		for i, x := range v.Values {
			sum += float64(x) * float64(query[i])
		}
		if sum > 0 {
			all = append(all, dense.Neighbor{Hash: v.Hash, Cosine: sum})
		}
	}
	slices.SortFunc(all, func(a, b dense.Neighbor) int { return cmp.Compare(b.Cosine, a.Cosine) })
	best := map[dense.Hash]bool{}
	for _, n := range all[:min(k, len(all))] {
		best[n.Hash] = true
	}
	return best
}

// common returns how many neighbors are among the best.
func common(got []dense.Neighbor, best map[dense.Hash]bool) (n int) {
	for _, g := range got {
		if best[g.Hash] {
			n++
		}
	}
	return n
}

func rejecting() map[string]property {
	return map[string]property{
		"a vector of another dimension is rejected": func(t *testing.T, s dense.VectorStore) {
			if err := s.Put(t.Context(), four(), []dense.Vector{vector(point("git", "a"), 1, 2, 3)}); err == nil {
				t.Error("Put accepted it")
			}
			if _, err := s.Nearest(t.Context(), four(), []float32{1, 2, 3}, 3, []string{"git"}); err == nil {
				t.Error("Nearest accepted it")
			}
		},
		"cancelled calls return an error": func(t *testing.T, s dense.VectorStore) {
			put(t, s, four(), vector(point("git", "a"), 1, 0, 0, 0))
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, got := s.Get(ctx, four(), []dense.Hash{hash("a")})
			_, refreshed := s.Refresh(ctx, four(), []dense.Point{point("git", "a")})
			_, near := s.Nearest(ctx, four(), []float32{1, 0, 0, 0}, 3, []string{"git"})
			for what, err := range map[string]error{
				"put": s.Put(ctx, four(), []dense.Vector{vector(point("git", "b"), 1, 0, 0, 0)}),
				"get": got, "refresh": refreshed, "nearest": near,
			} {
				if err == nil {
					t.Errorf("%s ignored the cancellation", what)
				}
			}
		},
	}
}
