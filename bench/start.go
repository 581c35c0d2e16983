package main

import (
	"fmt"
	"time"

	"mcp-aggregator/bench/report"
)

// start measures startup times from exec.
func (l *lab) start(r *report.Report) error {
	f := &report.Start{}
	r.Start = f
	until := func(samples *report.Samples, wait func(*session) error, open func() (*session, error)) func() error {
		return func() error { return since(samples, wait, open) }
	}
	aggregate := func(servers [][]string) func() (*session, error) {
		return func() (*session, error) { return l.aggregate(servers...) }
	}
	run := func(argv ...string) func() (*session, error) {
		return func() (*session, error) { return open(argv...) }
	}
	err := interleave(2*l.rounds,
		until(&f.Empty, (*session).anything, run(empty)),
		until(&f.Direct, (*session).listed, run(child)),
		until(&f.Initialized, (*session).greet, aggregate(alike(1))),
		until(&f.One, (*session).listed, aggregate(alike(1))),
		until(&f.Twelve, (*session).listed, aggregate(alike(12))),
		until(&f.Fifty, (*session).listed, aggregate(alike(50))),
	)
	if err != nil {
		return err
	}
	servers := staggered()
	return interleave(l.few(),
		until(&f.OneSlow, (*session).listed, aggregate(append(alike(11), []string{"-slow", "2s"}))),
		until(&f.Slowest, (*session).listed, run(append([]string{child}, servers[len(servers)-1]...)...)),
		until(&f.Staggered, (*session).listed, aggregate(servers)),
	)
}

// staggered returns twelve servers, the slowest of which takes half a second, like real
// ones.
func staggered() (servers [][]string) {
	for i := range 12 {
		servers = append(servers, []string{"-slow", fmt.Sprintf("%dms", 60+40*i)})
	}
	return servers
}

// since adds the time from exec to an event, in milliseconds.
func since(samples *report.Samples, wait func(*session) error, open func() (*session, error)) error {
	s, err := open()
	if err != nil {
		return err
	}
	if err := wait(s); err != nil {
		return err
	}
	*samples = append(*samples, milliseconds(time.Since(s.began)))
	return s.close()
}

// listed waits for a complete list of tools.
func (s *session) listed() error {
	_, err := ready(s, nil)
	return err
}

// anything waits for the first byte.
func (s *session) anything() error {
	_, err := s.out.ReadByte()
	return err
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
