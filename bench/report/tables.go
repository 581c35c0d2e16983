package report

import "fmt"

// tables returns all measurements.
func (r *Report) tables() (all []*Table) {
	for _, t := range []*Table{
		r.targetTable(), r.callTable(), r.oneCoreTable(), r.startTable(), r.listTable(), r.memoryTable(), r.slowTable(), r.allocTable(),
	} {
		if len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

func (r *Report) targetTable() *Table {
	t := &Table{Title: "Targets", Head: []string{"what", "target", "measured", "half of the rounds", ""}}
	t.After = "A ratio is one of medians over all rounds; between the two figures beside it lie the ratios of the\nmiddle half of the rounds."
	for _, g := range r.Targets {
		spread := ""
		if g.Spread != nil {
			spread = g.Spread.spread()
		}
		t.Row(g.What, g.Limit, number("%.2f", g.Value), spread, g.Verdict)
	}
	return t
}

func (r *Report) callTable() *Table {
	return &Table{
		Title: "Calls", Image: "![time per call](benchmarks-calls.svg)", Head: callHead(), Rows: callRows(r.Calls),
		After: "CPU is that of the program in the middle (of the child, for *direct*): the time its threads had a\n" +
			"processor, in the kernel and outside, by `/proc/PID/task/*/schedstat`, which counts nanoseconds.\n" +
			"Of 12 children one is called.",
	}
}

func (r *Report) oneCoreTable() *Table {
	return &Table{
		Title: "Calls with one core", Head: callHead(), Rows: callRows(r.OneCore),
		After: "As in a container with one core: the driver, the program in the middle and the child share it, and\n" +
			"both programs have `GOMAXPROCS=1`.",
	}
}

func callHead() []string {
	return []string{"payload", "at once", "", "µs a call", "calls/s", "p50 µs", "p99 µs", "CPU µs", "over relay", "half of the rounds"}
}

func callRows(calls []Call) (rows [][]string) {
	for _, c := range calls {
		throughput := ""
		if c.Flight > 1 {
			throughput = number("%.0f", c.perSecond())
		}
		ratio := c.PerCall.Over(find(calls, c.Load, Relay).PerCall)
		rows = append(rows, []string{
			c.bytes() + " of " + c.Payload, fmt.Sprint(c.Flight), c.Way, Digits(c.PerCall.Median()), throughput,
			Digits(c.P50.Median()), Digits(c.P99.Median()), Digits(c.CPU.Median()), number("%.2f", ratio.Value), ratio.spread(),
		})
	}
	return rows
}

func (r *Report) startTable() *Table {
	t := &Table{Title: "Start", Image: "![from exec to an answer](benchmarks-start.svg)", Head: []string{"from exec to", "ms"}}
	s := r.Start
	if s == nil {
		return t
	}
	t.After = "All times begin right before exec, and end with what the driver read."
	for _, f := range []struct {
		what string
		took Samples
	}{
		{"the byte that an empty Go program writes", s.Empty},
		{"initialize answered", s.Initialized},
		{"the tools of a child, without the aggregator", s.Direct},
		{"the tools of 1 child", s.One},
		{"the tools of 12 children", s.Twelve},
		{"the tools of 50 children", s.Fifty},
		{"the tools of a child that takes 500 ms, without the aggregator", s.Slowest},
		{"the tools of 12 children that take 60 to 500 ms", s.Staggered},
		{"the tools of 12 children, one of which takes 2 s", s.OneSlow},
	} {
		t.Row(f.what, number("%.1f", f.took.Median()))
	}
	return t
}

func (r *Report) listTable() *Table {
	t := &Table{Title: "Lists", Head: []string{"tools", "ms", "ms of a direct child", "over it", "half of the pairs"}}
	t.After = "A child and the aggregator are asked in turn; a pair of them is new, and takes its median."
	for _, l := range r.Lists {
		ratio := l.Through.Over(l.Direct)
		t.Row(fmt.Sprint(l.Tools), number("%.2f", l.Through.Median()), number("%.2f", l.Direct.Median()), number("%.2f", ratio.Value), ratio.spread())
	}
	return t
}

func (r *Report) memoryTable() *Table {
	t := &Table{Title: "Memory", Head: []string{"resident", "MB"}}
	if m := r.Memory; m != nil {
		t.After = fmt.Sprintf("Medians of %d processes.", len(m.Idle))
		t.Row("idle, 12 children", number("%.1f", m.Idle.Median()))
		if len(m.Lean) > 0 {
			t.Row("with `--lean`, after 50 searches", number("%.1f", m.Lean.Median()))
		}
		t.Row("after 100,000 calls, to all of them in turn", number("%.1f", m.AfterCalls.Median()))
		t.Row("at the peak of a result of 64 MB", number("%.1f", m.PeakOfHuge.Median()))
		t.Row("a second later", number("%.1f", m.AfterHuge.Median()))
	}
	return t
}

func (r *Report) slowTable() *Table {
	t := &Table{Title: "A slow call", Head: []string{"latency of a call of 100 B", "p50 µs"}}
	if s := r.Slow; s != nil {
		t.Row("alone", number("%.1f", s.Alone.Median()))
		t.Row("while another child has a call of 2 s", number("%.1f", s.Other.Median()))
		t.Row("while the same child has one", number("%.1f", s.Same.Median()))
	}
	return t
}

func (r *Report) allocTable() *Table {
	t := &Table{Title: "Allocations", Head: []string{"Go benchmark", "allocs/op", "ns/op"}}
	for _, a := range r.Allocs {
		t.Row(a.Benchmark, fmt.Sprint(a.AllocsPerOp), number("%.0f", a.Nanoseconds.Median()))
	}
	return t
}
