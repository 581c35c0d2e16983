package main

import (
	"fmt"
	"math/rand/v2"

	"mcp-aggregator/bench/proc"
	"mcp-aggregator/bench/report"
)

// loads are the cells of the table. Their numbers of calls make each take about as long.
func loads() []load {
	kinds := []struct {
		payload     string
		size        int
		many, alone int // calls per round, with 64 and with 1 in flight
	}{
		{text, 100, 12_000, 3_000},
		{text, 10_000, 4_000, 1_500},
		{code, 10_000, 4_000, 1_500},
		{text, 1_000_000, 160, 60},
		{code, 1_000_000, 160, 60},
	}
	var all []load
	for _, k := range kinds {
		all = append(all, load{report.Load{Payload: k.payload, Size: k.size, Flight: 64}, k.many},
			load{report.Load{Payload: k.payload, Size: k.size, Flight: 1}, k.alone})
	}
	return all
}

// way is a path from the driver to a child.
type way struct {
	name, prefix string
	open         func() (*session, error)
}

func (l *lab) ways() []way {
	return []way{
		{report.Direct, "", func() (*session, error) { return open(child) }},
		{report.Relay, "", func() (*session, error) { return open(relay, child) }},
		{report.Aggregator1, ours, func() (*session, error) { return l.aggregate(alike(1)...) }},
		{report.Aggregator12, ours, func() (*session, error) { return l.aggregate(alike(12)...) }},
		{report.TypedProxy, ours, func() (*session, error) { return open(typed, child) }},
	}
}

// goes reports whether to measure a load on this path. It skips code on the typed proxy,
// which takes long and shows nothing new.
func (w way) goes(l load) bool { return w.name != report.TypedProxy || l.Payload == text }

// calls measures throughput, latency and processor time of calls. The placement of
// processes on cores can make a factor of two, so each round starts new ones.
func (l *lab) calls(r *report.Report) (err error) {
	r.Calls, err = l.rates(l.ways(), loads())
	return err
}

// rates measures each load on each path.
func (l *lab) rates(ways []way, loads []load) (calls []report.Call, err error) {
	cells := make([][]*report.Call, len(loads))
	for i, load := range loads {
		for _, w := range ways {
			cells[i] = append(cells[i], &report.Call{Load: load.Load, Way: w.name})
		}
	}
	for range l.rounds {
		if err := round(ways, loads, cells); err != nil {
			return nil, err
		}
	}
	for i, load := range loads {
		for j, w := range ways {
			if w.goes(load) {
				calls = append(calls, *cells[i][j])
			}
		}
	}
	return calls, nil
}

// round measures each load on all paths, one right after the other.
func round(ways []way, loads []load, cells [][]*report.Call) error {
	sessions := make([]*session, len(ways))
	for _, j := range rand.Perm(len(ways)) {
		s, err := ready(ways[j].open())
		if err != nil {
			return fmt.Errorf("%s: %w", ways[j].name, err)
		}
		defer s.close() //nolint:errcheck,revive // what it was measured for is known; a round is short
		sessions[j] = s
	}
	for _, i := range rand.Perm(len(loads)) {
		for _, j := range rand.Perm(len(ways)) {
			if !ways[j].goes(loads[i]) {
				continue
			}
			if err := measureCall(cells[i][j], sessions[j], loads[i], ways[j].prefix); err != nil {
				return fmt.Errorf("%s, %v: %w", ways[j].name, loads[i].Load, err)
			}
		}
	}
	return nil
}

func measureCall(c *report.Call, s *session, l load, prefix string) error {
	if c.Way == report.TypedProxy {
		l.calls = max(l.Flight, l.calls/20) // otherwise warming up would take most of the time
	}
	if _, err := s.run(l.warmUp(), prefix); err != nil {
		return err
	}
	before, err := proc.CPU(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	m, err := s.run(l, prefix)
	if err != nil {
		return err
	}
	after, err := proc.CPU(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	c.PerCall = append(c.PerCall, m.perCall)
	c.P50 = append(c.P50, m.latencies.Median())
	c.P99 = append(c.P99, m.latencies.Quantile(0.99))
	c.CPU = append(c.CPU, report.Microseconds(after-before)/float64(l.calls))
	return nil
}
