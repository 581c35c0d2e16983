package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-aggregator/bench/report"
)

func TestParseAllocs(t *testing.T) {
	got, err := report.ParseAllocs(strings.NewReader(`goos: linux
pkg: mcp-aggregator/modules/wire
BenchmarkSplice-2   	 7962 	 31.0 ns/op	 0 B/op	 0 allocs/op
BenchmarkScan/10KB-mixed-2   	 1000 	 900.5 ns/op	 11 MB/s	 0 B/op	 0 allocs/op
BenchmarkScan/10KB-mixed-2   	 1000 	 901.5 ns/op	 11 MB/s	 8 B/op	 1 allocs/op
PASS
ok  	mcp-aggregator/modules/wire	1.2s
`))
	want := []report.Allocs{
		{Benchmark: "Scan/10KB-mixed", AllocsPerOp: 1, Nanoseconds: report.Samples{900.5, 901.5}},
		{Benchmark: "Splice", Nanoseconds: report.Samples{31}},
	}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
}

func TestABenchmarkWithoutAllocationsIsRefused(t *testing.T) {
	if got, err := report.ParseAllocs(strings.NewReader("BenchmarkScan-2 1000 900 ns/op\n")); err == nil {
		t.Errorf("%+v", got)
	}
}
