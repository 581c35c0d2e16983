package main_test

import (
	"strings"
	"testing"

	bench "mcp-aggregator/bench/benchservice"
	"mcp-aggregator/bench/report"
)

// measured returns the report of a run that met every target.
func measured() *bench.Report {
	r := &bench.Report{
		Scale: &bench.Scale{Lanes: []bench.Lane{
			{Way: bench.Direct, PerSecond: 100, P50: 0.1, P99: 1},
			{Way: bench.REST, PerSecond: 100, P50: 0.5, P99: 2, Routing99: 0.1},
			{Way: bench.Stdio, PerSecond: 100, P50: 0.5, P99: 2},
		}},
		Search: []*bench.Search{
			{Tools: 10_000, P50: report.Samples{0.5}, P99: report.Samples{2}, PerSecond: report.Samples{3000}},
			{Tools: 1_000, P99: report.Samples{100}},
		},
		Discovery: &bench.Discovery{Listed: report.Samples{100, 200}, Slowest: 100},
	}
	for _, way := range []string{bench.Plain, bench.Stdio, bench.REST, bench.HTTP, bench.SSE, bench.Typed} {
		r.Calls = append(r.Calls, &bench.Call{Way: way, Flight: 64, PerSecond: report.Samples{20_000, 20_000, 20_000}})
	}
	return r
}

func TestATargetIsMissed(t *testing.T) {
	for when, c := range map[string]struct {
		change func(*bench.Report)
		missed string
	}{
		"never, if all is well":      {func(*bench.Report) {}, ""},
		"when calls are too slow":    {func(r *bench.Report) { r.Calls[1].PerSecond = report.Samples{9_999} }, "calls/s through /mcp to a stdio child, 64 at once"},
		"when a call has failed":     {func(r *bench.Report) { r.Scale.Lanes[1].Errors = 1 }, "errors in 0 calls through REST"},
		"when the rate is not held":  {func(r *bench.Report) { r.Scale.Lanes[2].PerSecond = 98 }, "calls/s made through /mcp"},
		"when calls take too long":   {func(r *bench.Report) { r.Scale.Lanes[2].P99 = 51.5 }, "through /mcp to a stdio child, p99"},
		"when routing does":          {func(r *bench.Report) { r.Scale.Lanes[1].Routing99 = 1.5 }, "p99: the aim"},
		"when one round took long":   {func(r *bench.Report) { r.Discovery.Listed[1] = 5001 }, "1,000 tools"},
		"when a POST waited in vain": {func(r *bench.Report) { r.Discovery.Slowest = 2001 }, "20 parallel registrations"},
		"when a search is slow":      {func(r *bench.Report) { r.Search[0].P99[0] = 5.1 }, "among 10000 tools, p99"},
		"when searches are":          {func(r *bench.Report) { r.Search[0].PerSecond[0] = 1999 }, "64 at once"},
		"when 1,000 tools are slow":  {func(r *bench.Report) { r.Search[1].P99[0] = 151 }, "among 1000 tools"},
	} {
		t.Run(when, func(t *testing.T) {
			r := measured()
			c.change(r)
			r.Judge()
			var missed []string
			for _, g := range r.Targets {
				if g.Verdict == report.Missed {
					missed = append(missed, g.What)
				}
			}
			all := strings.Join(missed, "; ")
			if (c.missed == "") != (all == "") || !strings.Contains(all, c.missed) {
				t.Errorf("missed: %s", all)
			}
			if page := r.Page(); strings.Count(page, "| missed |") != len(missed) {
				t.Error(page)
			}
		})
	}
}
