package main

import (
	"fmt"
	"time"
)

// subject is one way from the driver to a child.
type subject struct {
	name string
	*session
}

// loads are the cells of the table. Their sizes let each take about as long.
var loads = []load{
	{100, 64, 12_000},
	{100, 1, 3_000},
	{10_000, 64, 4_000},
	{10_000, 1, 1_500},
	{1_000_000, 64, 160},
	{1_000_000, 1, 60},
}

// cell gathers the rounds of one subject under one load.
type cell struct {
	perCall, p50, p99 []time.Duration // of each round
	cpu               time.Duration
	calls             int
}

// table holds the cells by load and by the subject's name.
type table map[load]map[string]*cell

// measureCalls runs every load on every subject in turn, round by round, so
// that whatever else the machine does hits all alike.
func measureCalls(subjects []subject, rounds int) (table, error) {
	t := make(table)
	for round := range rounds {
		for _, l := range loads {
			if t[l] == nil {
				t[l] = make(map[string]*cell)
			}
			for i := range subjects {
				s := subjects[(i+round)%len(subjects)] // nobody is always the first
				if t[l][s.name] == nil {
					t[l][s.name] = &cell{}
				}
				if err := t[l][s.name].add(s, l); err != nil {
					return nil, fmt.Errorf("%s, %d bytes, %d at once: %w", s.name, l.Size, l.Flight, err)
				}
			}
		}
	}
	return t, nil
}

func (c *cell) add(s subject, l load) error {
	if s.name == typedProxy {
		l.calls = max(l.Flight, l.calls/20) // or it would take most of the time
	}
	before, err := cpu(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	m, err := s.run(l)
	if err != nil {
		return err
	}
	after, err := cpu(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	c.perCall = append(c.perCall, m.perCall)
	c.p50 = append(c.p50, median(m.latencies))
	c.p99 = append(c.p99, quantile(m.latencies, 0.99))
	c.cpu += after - before
	c.calls += l.calls
	return nil
}

// cpuPerCall is what the subject itself used for a call.
func (c *cell) cpuPerCall() time.Duration { return c.cpu / time.Duration(c.calls) }

// against is the median of the rounds' ratios of c to base.
func (c *cell) against(base *cell) float64 {
	ratios := make([]float64, len(c.perCall))
	for i := range c.perCall {
		ratios[i] = float64(c.perCall[i]) / float64(base.perCall[i])
	}
	return median(ratios)
}
