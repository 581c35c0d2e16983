package flat

import (
	"cmp"
	"slices"
	"time"

	"mcp-aggregator/modules/dense"
)

// table holds the vectors of a space contiguously. A nil table is empty.
type table struct {
	dimension int
	values    []float32
	hashes    []dense.Hash
	servers   []string
	used      []time.Time
	rows      map[dense.Hash]int
}

func (t *table) row(i int) []float32 { return t.values[i*t.dimension : (i+1)*t.dimension] }

func (t *table) get(hash dense.Hash) []float32 {
	if t == nil {
		return nil
	}
	i, ok := t.rows[hash]
	if !ok {
		return nil
	}
	return t.row(i)
}

func (t *table) put(v dense.Vector) {
	i, ok := t.rows[v.Hash]
	if !ok {
		i = len(t.hashes)
		t.rows[v.Hash] = i
		t.hashes = append(t.hashes, v.Hash)
		t.values = append(t.values, v.Values...)
		t.servers, t.used = append(t.servers, ""), append(t.used, time.Time{})
	}
	copy(t.row(i), v.Values)
	t.servers[i], t.used[i] = v.Server, time.Now()
}

// deleteUnused replaces each deleted row by the last one.
func (t *table) deleteUnused(before time.Time) {
	for i := len(t.hashes) - 1; i >= 0; i-- {
		if !t.used[i].Before(before) {
			continue
		}
		last := len(t.hashes) - 1
		delete(t.rows, t.hashes[i])
		if i < last {
			copy(t.row(i), t.row(last))
			t.hashes[i], t.servers[i], t.used[i] = t.hashes[last], t.servers[last], t.used[last]
			t.rows[t.hashes[i]] = i
		}
		t.hashes, t.servers, t.used = t.hashes[:last], t.servers[:last], t.used[:last]
		t.values = t.values[:last*t.dimension]
	}
}

// nearest returns the k vectors of servers with the largest positive cosine.
func (t *table) nearest(query []float32, k int, servers []string) []dense.Neighbor {
	if t == nil || k <= 0 {
		return nil
	}
	searched := make(map[string]bool, len(servers))
	for _, server := range servers {
		searched[server] = true
	}
	best := make([]dense.Neighbor, 0, min(k, len(t.hashes))+1)
	least := 0.0
	server, in := "", searched[""]
	for i, hash := range t.hashes {
		if t.servers[i] != server { // vectors of a server are mostly adjacent
			server = t.servers[i]
			in = searched[server]
		}
		if !in {
			continue
		}
		cosine := float64(dot(query, t.row(i)))
		if cosine <= least {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, cosine, func(n dense.Neighbor, c float64) int { return cmp.Compare(c, n.Cosine) })
		best = slices.Insert(best, at, dense.Neighbor{Hash: hash, Cosine: min(cosine, 1)})
		if len(best) > k {
			best = best[:k]
		}
		if len(best) == k {
			least = best[k-1].Cosine
		}
	}
	return best
}

// dot returns the dot product. It uses four independent sums so that the CPU can overlap
// the additions.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]float32)(a), (*[8]float32)(b)
		s0 += x[0]*y[0] + x[4]*y[4]
		s1 += x[1]*y[1] + x[5]*y[5]
		s2 += x[2]*y[2] + x[6]*y[6]
		s3 += x[3]*y[3] + x[7]*y[7]
		a, b = a[8:], b[8:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return s0 + s1 + s2 + s3
}
