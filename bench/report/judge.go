package report

import (
	"fmt"
	"strings"
)

// Judge compares the measurements with the targets.
func (r *Report) Judge() {
	r.judgeCalls()
	r.judgeOneCore()
	for _, f := range r.Lists {
		r.add(ratioAtMost(1, f.Through.Over(f.Direct), fmt.Sprintf("tools/list of %d tools over a direct child's", f.Tools)).
			because("%.2f ms from the snapshot, %.2f ms from the child.", f.Through.Median(), f.Direct.Median()))
	}
	if r.Start != nil {
		r.judgeStart(r.Start)
	}
	if r.Memory != nil {
		r.judgeMemory(r.Memory)
	}
	if r.Slow != nil {
		r.judgeSlow(r.Slow)
	}
	r.judgeAllocs()
}

func (r *Report) judgeCalls() {
	for _, l := range r.loads() {
		limit := 1.5
		if l.Size == 100 {
			limit = 1.3
		}
		ours, base, direct := r.call(l, Aggregator12), r.call(l, Relay), r.call(l, Direct)
		r.add(ratioAtMost(limit, ours.PerCall.Over(base.PerCall), "time per call over the relay's, "+l.String()).because(
			"%s µs through the aggregator, %s through the relay, %s directly; of processor time %s µs, %s and %s.",
			Digits(ours.PerCall.Median()), Digits(base.PerCall.Median()), Digits(direct.PerCall.Median()),
			Digits(ours.CPU.Median()), Digits(base.CPU.Median()), Digits(direct.CPU.Median())))
	}
	small := Load{Text, 100, 64}
	ours, base, typed := r.call(small, Aggregator12), r.call(small, Relay), r.call(small, TypedProxy)
	if len(ours.CPU) == 0 {
		return
	}
	r.add(ratioAtMost(2.5, ours.CPU.Over(base.CPU), "processor time per call over the relay's, "+small.String()).because(
		"%.2f µs of the aggregator, which reads what it forwards, and %.2f of the relay, which does not.", ours.CPU.Median(), base.CPU.Median()))
	faster := ours.PerCall.Over(typed.PerCall).inverse()
	r.add(Target{
		What: "times as fast as the typed proxy, " + small.String(), Limit: ">= 15", Value: faster.Value, Spread: &faster,
		Verdict: verdict(faster.Value >= 15), note: fmt.Sprintf("%.1f µs, and %.1f through the proxy.", ours.PerCall.Median(), typed.PerCall.Median()),
	})
}

func (r *Report) judgeOneCore() {
	for _, l := range loadsOf(r.OneCore) {
		ours, base, direct := find(r.OneCore, l, Aggregator12), find(r.OneCore, l, Relay), find(r.OneCore, l, Direct)
		r.add(ratioAtMost(1.6, ours.PerCall.Over(base.PerCall), "time per call over the relay's with one core, "+l.String()).because(
			"%s µs through the aggregator, %s through the relay, %s directly.",
			Digits(ours.PerCall.Median()), Digits(base.PerCall.Median()), Digits(direct.PerCall.Median())))
	}
}

func (r *Report) judgeStart(s *Start) {
	r.add(ratioAtMost(1.2, s.Staggered.Over(s.Slowest), "12 children ready over the slowest of them alone, which takes 500 ms").
		because("%.1f ms, and %.1f of the slowest alone.", s.Staggered.Median(), s.Slowest.Median()))
	atOnce := s.Twelve.Over(s.Direct)
	r.add(Target{What: "12 children that start at once over one alone", Value: atOnce.Value, Spread: &atOnce, Verdict: None})
	r.add(atMost(15, s.Initialized.Median()-s.Empty.Median(), "ms from exec to initialize answered, above an empty program").
		because("%.1f ms, and %.1f of the empty program.", s.Initialized.Median(), s.Empty.Median()))
}

func (r *Report) judgeMemory(m *Memory) {
	idle, busy, after := m.Idle.Median(), m.AfterCalls.Median(), m.AfterHuge.Median()
	r.add(atMost(16, idle, "MB resident with 12 idle children").because("%.1f MB.", idle))
	if lean := m.Lean.Median(); len(m.Lean) > 0 {
		r.add(atMost(4, lean-idle, "MB more with --lean, 12 children and 50 searches").because("%.1f MB, and %.1f without.", lean, idle))
	}
	r.add(atMost(5, busy-idle, "MB more after 100,000 calls").because("%.1f MB, and %.1f before.", busy, idle))
	r.add(atMost(1.5, m.HugeOverSize.Median(), "peak of a 64 MB result over its size").
		because("%.1f MB at the peak, and %.1f before.", m.PeakOfHuge.Median(), busy))
	r.add(atMost(5, after-busy, "MB more after it").because("%.1f MB, and %.1f before.", after, busy))
}

func (r *Report) judgeSlow(s *Slow) {
	note := "%.1f µs, and %.1f alone."
	r.add(ratioAtMost(1.5, s.Other.Over(s.Alone), "latency while another child has a slow call, over that alone").
		because(note, s.Other.Median(), s.Alone.Median()))
	r.add(ratioAtMost(1.5, s.Same.Over(s.Alone), "latency while the same child has a slow call, over that alone").
		because(note, s.Same.Median(), s.Alone.Median()))
}

// judgeAllocs judges the benchmark of each kind that allocates most.
func (r *Report) judgeAllocs() {
	for _, kind := range []struct {
		name  string
		limit float64
	}{{"Scan", 0}, {"Splice", 0}, {"Route", 4}} {
		most, found := Allocs{}, false
		for _, a := range r.Allocs {
			if base, _, _ := strings.Cut(a.Benchmark, "/"); base == kind.name && (!found || a.AllocsPerOp > most.AllocsPerOp) {
				most, found = a, true
			}
		}
		if found {
			r.add(atMost(kind.limit, float64(most.AllocsPerOp), "allocations, "+strings.ToLower(kind.name)).
				because("%d in %s.", most.AllocsPerOp, most.Benchmark))
		}
	}
}
