package main

import (
	"fmt"

	"mcp-aggregator/bench/report"
)

// Judge compares the measurements with the targets.
func (r *Report) Judge() {
	if len(r.Calls) > 0 {
		r.judgeCalls()
	}
	if r.Scale != nil {
		r.judgeScale(r.Scale)
	}
	if f := r.Discovery; f != nil {
		r.atMost(5000, f.Listed.Quantile(1), "ms from the registration of a server with 1,000 tools until they are listed, the slowest round")
		r.atMost(2000, f.Slowest, "ms until each of 20 parallel registrations is answered, the slowest of all rounds")
	}
	for _, f := range r.Search {
		r.judgeSearch(f)
	}
}

func (r *Report) judgeSearch(f *Search) {
	among := fmt.Sprintf("among %d tools", f.Tools)
	if f.Tools < manyTools {
		r.atMost(150, f.P99.Median(), "ms for a search "+among+", p99")
		return
	}
	r.atMost(1, f.P50.Median(), "ms for a search "+among+", p50")
	r.atMost(5, f.P99.Median(), "ms for a search "+among+", p99")
	r.atLeast(2000, f.PerSecond.Median(), "searches/s "+among+", 64 at once")
}

func (r *Report) judgeCalls() {
	ours, plain, typed := r.call(Stdio, 64).PerSecond, r.call(Plain, 64).PerSecond, r.call(Typed, 64).PerSecond
	r.atLeast(10_000, ours.Median(), "calls/s through "+Stdio+", 64 at once")
	r.compare(ours.Over(plain), "calls/s through "+Stdio+" over "+Plain+"'s, 64 at once")
	r.compare(ours.Over(typed), "calls/s through "+Stdio+" over "+Typed+"'s, 64 at once")
	for _, way := range []string{REST, HTTP, SSE} {
		r.compare(r.call(way, 64).PerSecond.Over(plain), "calls/s through "+way+" over "+Plain+"'s, 64 at once")
	}
}

func (r *Report) judgeScale(s *Scale) {
	direct := s.lane(Direct)
	for _, way := range []string{REST, Stdio} {
		l := s.lane(way)
		r.atMost(0, float64(l.Errors), fmt.Sprintf("errors in %d calls through %s, %d a second", l.Calls, way, perSecond))
		r.atLeast(0.99*perSecond, l.PerSecond, "calls/s made through "+way)
		r.atMost(50, l.P99-direct.P99, "ms more than "+Direct+", through "+way+", p99")
		r.atMost(1, l.P50-direct.P50, "ms more than "+Direct+", through "+way+", p50")
	}
	r.atMost(50, s.lane(REST).Routing99, "ms of routing_time_ms, p99")
	r.atMost(1, s.lane(REST).Routing99, "ms of routing_time_ms, p99: the aim")
}

func (r *Report) atMost(limit, value float64, what string) {
	r.target(fmt.Sprintf("<= %g", limit), value, value <= limit, what)
}

func (r *Report) atLeast(limit, value float64, what string) {
	r.target(fmt.Sprintf(">= %g", limit), value, value >= limit, what)
}

func (r *Report) target(limit string, value float64, met bool, what string) {
	verdict := report.Missed
	if met {
		verdict = report.Met
	}
	r.Targets = append(r.Targets, report.Target{What: what, Limit: limit, Value: value, Verdict: verdict})
}

// compare adds a ratio without a target.
func (r *Report) compare(ratio report.Ratio, what string) {
	r.Targets = append(r.Targets, report.Target{What: what, Value: ratio.Value, Spread: &ratio, Verdict: report.None})
}
