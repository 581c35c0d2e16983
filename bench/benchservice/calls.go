package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mcp-aggregator/bench/proc"
	"mcp-aggregator/bench/report"
)

// way is a path from the driver to a server.
type way struct {
	name string
	pid  int // of the program between driver and server, or else of the server
	run  func(flight int, d time.Duration) (report.Samples, error)
}

// calls measures throughput and latency. The placement of processes on cores can make a
// factor of two, so each round starts new ones.
func (l *lab) calls(r *Report) error {
	for _, flight := range flights() {
		for _, name := range ways() {
			r.Calls = append(r.Calls, &Call{Way: name, Flight: flight})
		}
	}
	for range l.rounds {
		f, err := l.field()
		if err == nil {
			err = l.round(r, f.ways)
		}
		if err := errors.Join(err, f.close()); err != nil {
			return err
		}
	}
	return nil
}

// round measures each load on all paths, one right after the other.
func (l *lab) round(r *Report, ways []way) error {
	for _, flight := range flights() {
		for _, i := range rand.Perm(len(ways)) {
			w := ways[i]
			if err := l.one(r.call(w.name, flight), w, flight); err != nil {
				return fmt.Errorf("%s, %d at once: %w", w.name, flight, err)
			}
		}
	}
	return nil
}

func (l *lab) one(c *Call, w way, flight int) error {
	if _, err := w.run(flight, l.slice/10); err != nil { // warm up
		return err
	}
	before, err := proc.CPU(w.pid)
	if err != nil {
		return err
	}
	began := time.Now()
	took, err := w.run(flight, l.slice)
	if err != nil {
		return err
	}
	elapsed := time.Since(began)
	after, err := proc.CPU(w.pid)
	if err != nil {
		return err
	}
	n := float64(len(took))
	c.PerSecond = append(c.PerSecond, n/elapsed.Seconds())
	c.P50 = append(c.P50, took.Quantile(0.5))
	c.P99 = append(c.P99, took.Quantile(0.99))
	c.CPU = append(c.CPU, report.Microseconds(after-before)/n)
	return nil
}
