package vectortest

import (
	"testing"
	"time"

	"mcp-aggregator/modules/dense"
)

func keeping() map[string]property {
	return map[string]property{
		"only stored vectors are returned": func(t *testing.T, s dense.VectorStore) {
			a, b := vector(point("git", "a"), 1, 2, 3, 4), vector(point("git", odd), -1, 0, .5, 0)
			put(t, s, four(), a, b)
			got := get(t, s, four(), a.Hash, b.Hash, hash("other"))
			if len(got) != 2 || !same(got[a.Hash], a.Values) || !same(got[b.Hash], b.Values) {
				t.Errorf("got %v", got)
			}
		},
		"an unused space is empty": func(t *testing.T, s dense.VectorStore) {
			if got := get(t, s, four(), hash("a")); len(got) != 0 {
				t.Errorf("got %v", got)
			}
			if got := refresh(t, s, four(), point("git", "a")); len(got) != 0 {
				t.Errorf("got %v", got)
			}
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "git"))
		},
		"empty arguments return nothing": func(t *testing.T, s dense.VectorStore) {
			put(t, s, four())
			if got := get(t, s, four()); len(got) != 0 {
				t.Errorf("got %v", got)
			}
			if got := refresh(t, s, four()); len(got) != 0 {
				t.Errorf("got %v", got)
			}
		},
		"a vector is replaced": func(t *testing.T, s dense.VectorStore) {
			p := point("git", "a")
			put(t, s, four(), vector(p, 1, 0, 0, 0))
			put(t, s, four(), vector(p, 0, 1, 0, 0))
			if got := get(t, s, four(), p.Hash)[p.Hash]; !same(got, []float32{0, 1, 0, 0}) {
				t.Errorf("got %v", got)
			}
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "git"))
			want(t, nearest(t, s, four(), []float32{0, 1, 0, 0}, 3, "git"), p)
		},
		"models and dimensions are separate": func(t *testing.T, s dense.VectorStore) {
			p := point("git", "a")
			other, larger := four(), four()
			other.Model += "2"
			larger.Dimension = 5
			put(t, s, four(), vector(p, 1, 0, 0, 0))
			put(t, s, larger, vector(p, 0, 0, 0, 0, 1))
			if got := get(t, s, other, p.Hash); len(got) != 0 {
				t.Errorf("another model has %v", got)
			}
			if got := refresh(t, s, other, p); len(got) != 0 {
				t.Errorf("another model knows %v", got)
			}
			want(t, nearest(t, s, other, []float32{1, 0, 0, 0}, 3, "git"))
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "git"), p)
			want(t, nearest(t, s, larger, []float32{0, 0, 0, 0, 1}, 3, "git"), p)
			want(t, nearest(t, s, larger, []float32{1, 0, 0, 0, 0}, 3, "git"))
		},
	}
}

func using() map[string]property {
	return map[string]property{
		"a refresh returns the stored hashes": func(t *testing.T, s dense.VectorStore) {
			a, b := point("git", "a"), point("git", "b")
			put(t, s, four(), vector(a, 1, 0, 0, 0))
			if got := refresh(t, s, four(), b, a); len(got) != 1 || got[0] != a.Hash {
				t.Errorf("got %v", got)
			}
		},
		"a refresh updates the payload": func(t *testing.T, s dense.VectorStore) {
			p := point("git", "a")
			put(t, s, four(), vector(p, 1, 0, 0, 0))
			p.Payload = dense.Payload{ServerID: odd, Server: odd, Name: odd, Classified: true, SkillIDs: []string{"a", "b,c", odd}}
			refresh(t, s, four(), p)
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "git"))
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, odd), p)
			if got := get(t, s, four(), p.Hash)[p.Hash]; !same(got, []float32{1, 0, 0, 0}) {
				t.Errorf("the vector is %v", got)
			}
		},
		"unused vectors of all spaces are deleted": func(t *testing.T, s dense.VectorStore) {
			other := dense.Space{Model: "other", Dimension: 2}
			p := point("git", "a")
			put(t, s, four(), vector(p, 1, 0, 0, 0))
			put(t, s, other, vector(p, 1, 0))
			unused(t, s, time.Now().Add(-48*time.Hour))
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "git"), p)
			unused(t, s, time.Now().Add(48*time.Hour))
			for _, space := range []dense.Space{four(), other} {
				if got := get(t, s, space, p.Hash); len(got) != 0 {
					t.Errorf("got %v", got)
				}
			}
			want(t, nearest(t, s, four(), []float32{1, 0, 0, 0}, 3, "git"))
			put(t, s, four(), vector(p, 0, 1, 0, 0))
			want(t, nearest(t, s, four(), []float32{0, 1, 0, 0}, 3, "git"), p)
		},
	}
}

func unused(t *testing.T, s dense.VectorStore, before time.Time) {
	t.Helper()
	if err := s.DeleteUnused(t.Context(), before); err != nil {
		t.Fatalf("delete unused: %v", err)
	}
}
