package main

import "mcp-aggregator/bench/report"

// slow measures sequential calls: alone, and while a call of two seconds runs on another
// child or on the same.
func (l *lab) slow(r *report.Report) error {
	s, err := ready(l.aggregate(alike(2)...))
	if err != nil {
		return err
	}
	defer s.close() //nolint:errcheck // what it was measured for is known
	f := &report.Slow{}
	r.Slow = f
	return interleave(l.few(),
		func() error { return s.latency(&f.Alone, ours) },
		func() error { return s.beside(f) },
	)
}

// beside starts a slow call and measures others while it runs.
func (s *session) beside(f *report.Slow) error {
	if err := s.send("tools/call", `{"name":"s1:wait2s","arguments":{}}`); err != nil {
		return err
	}
	err := interleave(1,
		func() error { return s.latency(&f.Other, ours) },
		func() error { return s.latency(&f.Same, "s1:") },
	)
	if err != nil {
		return err
	}
	_, _, err = s.answer() // of the slow call
	return err
}

// latency adds the median latency of a call.
func (s *session) latency(p50 *report.Samples, prefix string) error {
	m, err := s.warm(load{report.Load{Payload: text, Size: 100, Flight: 1}, 2000}, prefix)
	if err != nil {
		return err
	}
	*p50 = append(*p50, m.latencies.Median())
	return nil
}
