package main

import (
	"fmt"

	"mcp-aggregator/bench/report"
)

// tables returns all measurements.
func (r *Report) tables() (all []*report.Table) {
	for _, t := range []*report.Table{r.targetTable(), r.callTable(), r.laneTable(), r.scaleTable(), r.discoveryTable(), r.searchTable()} {
		if len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	return all
}

func (r *Report) targetTable() *report.Table {
	t := &report.Table{Title: "Targets", Head: []string{"what", "target", "measured", "half of the rounds", ""}}
	for _, g := range r.Targets {
		spread := ""
		if g.Spread != nil {
			spread = fmt.Sprintf("%.2f to %.2f", g.Spread.Low, g.Spread.High)
		}
		t.Row(g.What, g.Limit, report.Digits(g.Value), spread, g.Verdict)
	}
	return t
}

func (r *Report) callTable() *report.Table {
	t := &report.Table{
		Title: "Calls as fast as they go",
		Head:  []string{"", "at once", "calls/s", "p50 µs", "p99 µs", "CPU µs", "calls/s over the plain server's", "half of the rounds"},
		After: "Medians of the rounds, each with new processes. CPU is that of the program in the middle, a call (of\n" +
			"the server, where there is none): `/proc/PID/task/*/schedstat`.",
	}
	for _, flight := range flights() {
		for _, way := range ways() {
			c := r.call(way, flight)
			if len(c.PerSecond) == 0 {
				continue
			}
			ratio := c.PerSecond.Over(r.call(Plain, flight).PerSecond)
			t.Row(way, fmt.Sprint(flight), fmt.Sprintf("%.0f", c.PerSecond.Median()), report.Digits(c.P50.Median()),
				report.Digits(c.P99.Median()), report.Digits(c.CPU.Median()), fmt.Sprintf("%.2f", ratio.Value),
				fmt.Sprintf("%.2f to %.2f", ratio.Low, ratio.High))
		}
	}
	return t
}

func (r *Report) laneTable() *report.Table {
	t := &report.Table{
		Title: fmt.Sprintf("%d calls a second, %d servers, %d tools", perSecond, manyServers, manyTools),
		Head:  []string{"", "calls", "calls/s", "errors", "p50 ms", "p99 ms", "most ms", "routing_time_ms p50", "p99"},
		After: "All four at the same time, each of the rate; the servers are called in turn. A call is made at its\n" +
			"moment, whether those before were answered or not.",
	}
	if r.Scale == nil {
		return t
	}
	for _, l := range r.Scale.Lanes {
		routing50, routing99 := "", ""
		if l.Way == REST {
			routing50, routing99 = fmt.Sprintf("%.3f", l.Routing50), fmt.Sprintf("%.3f", l.Routing99)
		}
		t.Row(l.Way, fmt.Sprint(l.Calls), fmt.Sprintf("%.1f", l.PerSecond), fmt.Sprint(l.Errors),
			fmt.Sprintf("%.2f", l.P50), fmt.Sprintf("%.2f", l.P99), fmt.Sprintf("%.1f", l.Max), routing50, routing99)
		if l.Error != "" {
			t.After += "\n\nThe first error: " + l.Error
		}
	}
	return t
}

func (r *Report) scaleTable() *report.Table {
	t := &report.Table{Title: fmt.Sprintf("The service with %d servers and %d tools", manyServers, manyTools), Head: []string{"", ""}}
	s := r.Scale
	if s == nil {
		return t
	}
	for _, f := range []struct {
		what  string
		value float64
		unit  string
	}{
		{"from exec until it listens", s.Listening, "ms"},
		{"from exec until all servers are connected", s.Connected, "ms"},
		{"tools/list through /mcp", s.ListMCP.Median(), "ms"},
		{"GET /api/v1/tools", s.ListREST.Median(), "ms"},
		{"resident, a second later", s.Idle, "MB"},
		{fmt.Sprintf("resident after %d lists of either kind", lists), s.Listed, "MB"},
		{"resident while it is called, at most", s.During, "MB"},
		{"resident a second after that", s.After, "MB"},
	} {
		t.Row(f.what, report.Digits(f.value)+" "+f.unit)
	}
	return t
}

func (r *Report) discoveryTable() *report.Table {
	t := &report.Table{Title: "Registration", Head: []string{"from the POST until", "ms"}}
	if f := r.Discovery; f != nil {
		t.Row("it is answered, of a server with 1,000 tools", report.Digits(f.Answered.Median()))
		t.Row("that server is connected and its tools are listed", report.Digits(f.Listed.Median()))
		t.Row("the slowest of 20 servers' at the same time is answered, in the slowest round", report.Digits(f.Slowest))
		t.Row("all 20 are connected and their 4,000 tools listed", report.Digits(f.AllConnected.Median()))
	}
	return t
}

func (r *Report) searchTable() *report.Table {
	t := &report.Table{
		Title: "Searches",
		Head:  []string{"tools", "servers", "one at a time, p50 ms", "p99 ms", "64 at once, searches/s", "CPU µs a search", "resident before, MB", "after"},
		After: "`POST /api/v1/search`, with the queries and the tools that [search.md](search.md) is measured with.\n" +
			"Medians of the rounds, of one process. CPU and memory are those of the service.",
	}
	for _, s := range r.Search {
		t.Row(fmt.Sprint(s.Tools), fmt.Sprint(s.Servers), report.Digits(s.P50.Median()), report.Digits(s.P99.Median()),
			fmt.Sprintf("%.0f", s.PerSecond.Median()), report.Digits(s.CPU.Median()), report.Digits(s.Idle), report.Digits(s.After))
	}
	return t
}
