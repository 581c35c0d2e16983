package search_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mcp-aggregator/modules/search"
)

var report = flag.String("search.report", "", "measure and write the figures into this page")

// TestReport replaces what is between these lines of the page.
const (
	reportBegin = "<!-- make bench-search writes from here -->\n"
	reportEnd   = "<!-- to here -->\n"
)

// TestReport measures the ranking, time and memory for make bench-search.
func TestReport(t *testing.T) {
	if *report == "" {
		t.Skip("runs only with -search.report")
	}
	page, err := os.ReadFile(*report)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(page), reportBegin)
	_, after, ended := strings.Cut(rest, reportEnd)
	if !begun || !ended {
		t.Fatalf("%s lacks the lines that enclose the figures", *report)
	}
	var out strings.Builder
	reportRanking(t, &out)
	reportMisspelled(t, &out)
	reportLearning(t, &out)
	reportCost(t, &out)
	text := before + reportBegin + out.String() + reportEnd + after
	if err := os.WriteFile(*report, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func reportRanking(t *testing.T, out *strings.Builder) {
	t.Helper()
	alone := search.DefaultTuning()
	alone.Synonym = 0
	fmt.Fprint(out, "| set (queries) | leg | nDCG@10 (95 %) | recall@5 | recall@10 | hit@1 | MRR@10 |\n|---|---|---|---|---|---|---|\n")
	for _, name := range setNames {
		s := readSet(t, name)
		set := fmt.Sprintf("%s (%d)", name, len(s.queries))
		writeRow(out, set, "plain BM25", s.judgeAll(newPlainBM25(s).rank))
		writeRow(out, "", "words, without thesaurus", s.judgeAll(rankerOf(t, s.index(alone))))
		writeRow(out, "", "**words**", s.judgeAll(rankerOf(t, s.index(search.DefaultTuning()))))
	}
}

func writeRow(out *strings.Builder, set, leg string, all []figures) {
	m := mean(all)
	low, high := interval(all)
	fmt.Fprintf(out, "| %s | %s | %.3f (%.3f to %.3f) | %.3f | %.3f | %.3f | %.3f |\n",
		set, leg, m.NDCG, low, high, m.Recall5, m.Recall10, m.Hit1, m.MRR)
}

// interval returns the 95 % bootstrap confidence interval of the mean nDCG@10.
func interval(all []figures) (low, high float64) {
	random := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, 1000)
	for i := range means {
		for range all {
			means[i] += all[random.IntN(len(all))].NDCG / float64(len(all))
		}
	}
	slices.Sort(means)
	return means[25], means[974]
}

// reportMisspelled measures queries with two letters swapped in the longest word.
func reportMisspelled(t *testing.T, out *strings.Builder) {
	t.Helper()
	careless := search.DefaultTuning()
	careless.Correct = 0
	fmt.Fprint(out, "\nWith two letters swapped in the longest word of each query, nDCG@10:\n\n| set | without corrections | with |\n|---|---|---|\n")
	for _, name := range setNames {
		s := readSet(t, name)
		for i, q := range s.queries {
			s.queries[i].Query = misspell(q.Query)
		}
		fmt.Fprintf(out, "| %s | %.3f | %.3f |\n", name,
			mean(s.judgeAll(rankerOf(t, s.index(careless)))).NDCG, mean(s.judgeAll(rankerOf(t, s.index(search.DefaultTuning())))).NDCG)
	}
}

func misspell(query string) string {
	words := strings.Split(query, " ")
	longest := 0
	for i, w := range words {
		if len(w) > len(words[longest]) {
			longest = i
		}
	}
	w := []rune(words[longest])
	if len(w) >= 4 {
		w[len(w)/2-1], w[len(w)/2] = w[len(w)/2], w[len(w)/2-1]
	}
	words[longest] = string(w)
	return strings.Join(words, " ")
}

func reportLearning(t *testing.T, out *strings.Builder) {
	t.Helper()
	fmt.Fprint(out, "\nWhat one half of the queries teaches, asked of the other half, nDCG@10 (95 %):\n\n| set (queries asked) | words | and learned |\n|---|---|---|\n")
	for _, name := range setNames {
		before, after := replay(t, readSet(t, name))
		cell := func(all []figures) string {
			low, high := interval(all)
			return fmt.Sprintf("%.3f (%.3f to %.3f)", mean(all).NDCG, low, high)
		}
		fmt.Fprintf(out, "| %s (%d) | %s | %s |\n", name, len(before), cell(before), cell(after))
	}
}

func reportCost(t *testing.T, out *strings.Builder) {
	t.Helper()
	many := tenThousand(t)
	one := []search.Tool{}
	for _, tools := range many.servers {
		one = append(one, tools[:min(len(tools), 1000-len(one))]...)
	}
	before := heap()
	begun := time.Now()
	x := search.NewIndex(quiet())
	many.fill(x)
	took := time.Since(begun)
	memory := float64(heap()-before) / (1 << 20)
	snapshot := x.Snapshot()
	times := latencies(t, snapshot, many.queries)
	scattered := latencies(t, scatter(many).Snapshot(), many.queries)
	alone := time.Duration(0)
	for round := range 9 {
		begun = time.Now()
		x.Replace("one", one)
		if d := time.Since(begun); round == 0 || d < alone {
			alone = d
		}
	}
	fmt.Fprintf(out, "\n| cost, on %s/%s with %d processors, the best of nine times each | |\n|---|---|\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	fmt.Fprintf(out, "| a search of %d tools of %d servers, p50 / p99 | %.2f / %.2f ms |\n", snapshot.Len(), len(many.servers), millis(times, .5), millis(times, .99))
	fmt.Fprintf(out, "| the same tools on as many servers, p50 / p99 | %.2f / %.2f ms |\n", millis(scattered, .5), millis(scattered, .99))
	fmt.Fprintf(out, "| memory of that index | %.1f MB |\n", memory)
	fmt.Fprintf(out, "| to index them all, once | %d ms |\n", took.Milliseconds())
	fmt.Fprintf(out, "| to index a server of %d tools beside them | %d ms |\n", len(one), alone.Milliseconds())
	runtime.KeepAlive(many)
	runtime.KeepAlive(x)
}

// tenThousand returns the scale set, extended to 10,000 tools by repeating some.
func tenThousand(tb testing.TB) *set {
	tb.Helper()
	s := readSet(tb, "scale")
	missing := 10_000
	for _, tools := range s.servers {
		missing -= len(tools)
	}
	for _, server := range slices.Sorted(func(yield func(string) bool) {
		for server := range s.servers {
			if !yield(server) {
				return
			}
		}
	}) {
		again := slices.Clone(s.servers[server][:min(len(s.servers[server]), missing)])
		if missing -= len(again); len(again) > 0 {
			s.servers[server+"-2"] = again
		}
	}
	return s
}

// scatter gives each tool its own server.
func scatter(s *set) *search.Index {
	x := search.NewIndex(quiet())
	n := 0
	for _, tools := range s.servers {
		for i := range tools {
			n++
			x.Replace(fmt.Sprintf("%s %d", tools[i].Server, n), tools[i:i+1])
		}
	}
	return x
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// latencies returns the best of nine runs of each query, sorted: the machine may be busy.
func latencies(tb testing.TB, s *search.Snapshot, queries []judged) []time.Duration {
	tb.Helper()
	times := make([]time.Duration, len(queries))
	for round := range 9 {
		for i, q := range queries {
			begun := time.Now()
			if _, err := s.Search(search.Query{Text: q.Query}); err != nil {
				tb.Fatal(err)
			}
			if took := time.Since(begun); round == 0 || took < times[i] {
				times[i] = took
			}
		}
	}
	slices.Sort(times)
	return times
}

func millis(sorted []time.Duration, part float64) float64 {
	return float64(sorted[int(part*float64(len(sorted)))].Microseconds()) / 1000
}

// The budget of an index of 10,000 tools is 15 MB; it needs about half.
func TestTheIndexIsSmall(t *testing.T) {
	if underRace {
		t.Skip("the race detector uses additional memory")
	}
	many := tenThousand(t)
	before := heap()
	x := search.NewIndex(quiet())
	many.fill(x)
	if used := int64(heap()) - int64(before); used > 15<<20 {
		t.Errorf("the index of %d tools takes %d bytes", x.Snapshot().Len(), used)
	}
	runtime.KeepAlive(many)
	runtime.KeepAlive(x)
}

func BenchmarkSearch(b *testing.B) {
	s := readSet(b, "scale")
	x := search.NewIndex(quiet())
	s.fill(x)
	snapshot := x.Snapshot()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := snapshot.Search(search.Query{Text: s.queries[i%len(s.queries)].Query}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	var tools []search.Tool
	for _, some := range readSet(b, "scale").servers {
		tools = append(tools, some[:min(len(some), 1000-len(tools))]...)
	}
	x := search.NewIndex(quiet())
	b.ReportAllocs()
	for b.Loop() {
		x.Replace("one", tools)
	}
}
