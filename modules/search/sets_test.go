package search_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mcp-aggregator/modules/search"
)

// setNames are the sets in testdata, in the order of its README.
var setNames = []string{"livemcp", "livemcp_steps", "mcpproxy", "scale", "metatool", "seal", "bfcl"}

// set is a pool of tools with queries and their relevant tools.
type set struct {
	name    string
	servers map[string][]search.Tool
	queries []judged
}

// judged is a query with its relevant tools and their grades.
type judged struct {
	Query    string
	Relevant []struct {
		Server, Tool string
		Grade        int
	}
}

func readSet(tb testing.TB, name string) *set {
	tb.Helper()
	s := &set{name: name, servers: map[string][]search.Tool{}}
	pool := name
	if name == "livemcp_steps" {
		pool = "livemcp"
	}
	known := map[string][2]string{}
	readLines(tb, pool, "servers", func(line struct{ Server, Title, Description string }) {
		known[line.Server] = [2]string{line.Title, line.Description}
	})
	readLines(tb, pool, "tools", func(line struct {
		Server, Name, Description string
		InputSchema               json.RawMessage
	},
	) {
		s.servers[line.Server] = append(s.servers[line.Server], search.Tool{
			Name: line.Server + "." + line.Name, OriginalName: line.Name, Description: line.Description,
			Server: line.Server, ServerTitle: known[line.Server][0], ServerDescription: known[line.Server][1],
			InputSchema: line.InputSchema,
		})
	})
	readLines(tb, name, "queries", func(line judged) { s.queries = append(s.queries, line) })
	return s
}

// readLines calls yield with each line of a file of a set. The file of servers is optional.
func readLines[T any](tb testing.TB, set, file string, yield func(T)) {
	tb.Helper()
	packed, err := os.Open(filepath.Join("testdata", set, file+".jsonl.gz"))
	if errors.Is(err, os.ErrNotExist) && file == "servers" {
		return
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer packed.Close()
	plain, err := gzip.NewReader(packed)
	if err != nil {
		tb.Fatal(err)
	}
	for d := json.NewDecoder(plain); ; {
		var line T
		err := d.Decode(&line)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			tb.Fatalf("%s/%s: %v", set, file, err)
		}
		yield(line)
	}
}

// key identifies a tool of a set.
type key struct{ server, own string }

// figures are the metrics of one query, or their means.
type figures struct {
	NDCG     float64 `json:"ndcg@10"`
	Recall5  float64 `json:"recall@5"`
	Recall10 float64 `json:"recall@10"`
	Hit1     float64 `json:"hit@1"`
	MRR      float64 `json:"mrr@10"`
}

// judge returns the metrics of the ten best tools for a query. Relevant tools with the same
// name count as one.
func judge(q judged, ranked []key) figures {
	grades, best := map[key]int{}, map[string]int{}
	for _, r := range q.Relevant {
		grade := max(r.Grade, 1)
		grades[key{r.Server, r.Tool}] = grade
		best[r.Tool] = max(best[r.Tool], grade)
	}
	var f figures
	found, gain := map[string]bool{}, 0.
	for i, k := range ranked[:min(len(ranked), 10)] {
		grade, relevant := grades[k]
		if !relevant {
			continue
		}
		if f.MRR == 0 {
			f.MRR = 1 / float64(i+1)
		}
		if i == 0 {
			f.Hit1 = 1
		}
		if found[k.own] {
			continue
		}
		found[k.own] = true
		gain += float64(grade) / math.Log2(float64(i+2))
		f.Recall10++
		if i < 5 {
			f.Recall5++
		}
	}
	f.NDCG = gain / ideal(best)
	f.Recall5 /= float64(len(best))
	f.Recall10 /= float64(len(best))
	return f
}

func ideal(best map[string]int) float64 {
	var grades []int
	for _, grade := range best {
		grades = append(grades, grade)
	}
	slices.SortFunc(grades, func(a, b int) int { return cmp.Compare(b, a) })
	sum := 0.
	for i, grade := range grades[:min(len(grades), 10)] {
		sum += float64(grade) / math.Log2(float64(i+2))
	}
	return sum
}

// ranker returns the best tools for a query, best first.
type ranker func(query string) []key

func (s *set) judgeAll(rank ranker) []figures {
	all := make([]figures, len(s.queries))
	for i, q := range s.queries {
		all[i] = judge(q, rank(q.Query))
	}
	return all
}

func mean(all []figures) figures {
	var sum figures
	for _, f := range all {
		sum.NDCG += f.NDCG
		sum.Recall5 += f.Recall5
		sum.Recall10 += f.Recall10
		sum.Hit1 += f.Hit1
		sum.MRR += f.MRR
	}
	n := float64(max(len(all), 1))
	return figures{sum.NDCG / n, sum.Recall5 / n, sum.Recall10 / n, sum.Hit1 / n, sum.MRR / n}
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// fill indexes the tools of a set.
func (s *set) fill(x interface {
	Replace(server string, tools []search.Tool)
},
) {
	for server, tools := range s.servers {
		x.Replace(server, tools)
	}
}

func keys(hits []search.Hit) []key {
	all := make([]key, len(hits))
	for i, h := range hits {
		all[i] = key{h.Server, h.OriginalName}
	}
	return all
}
