package main

import (
	"fmt"
	"time"

	"mcp-aggregator/bench/report"
)

// The payloads.
const (
	text = report.Text
	code = report.Code
)

// load is a number of calls of one kind.
type load struct {
	report.Load
	calls int // per round
}

// measured is the result of one load, in microseconds.
type measured struct {
	perCall   float64
	latencies report.Samples
}

// warmUp is the number of calls before a load is measured.
func (l load) warmUp() load {
	l.calls = max(2, l.calls/10)
	l.Flight = min(l.Flight, l.calls)
	return l
}

// warm runs the calls of l unmeasured, to exclude one-time costs, and then measured.
func (s *session) warm(l load, prefixes ...string) (measured, error) {
	if _, err := s.run(l.warmUp(), prefixes...); err != nil {
		return measured{}, err
	}
	return s.run(l, prefixes...)
}

// traffic is a running load.
type traffic struct {
	*session
	load
	send  func(id, count int) error
	first int // id
	sent  []time.Time
	took  report.Samples
}

// run makes the calls of l, cycling through the prefixes of the tools.
func (s *session) run(l load, prefixes ...string) (measured, error) {
	lines := prepare(l, l.Flight, prefixes...)
	t := &traffic{session: s, load: l, first: s.next, sent: make([]time.Time, l.calls), took: make(report.Samples, 0, l.calls)}
	t.send = func(id, count int) error { return lines.write(s.in, id, count) }
	if l.Flight*len(lines.text)/len(lines.ends) > pipeSize/2 {
		var stop func()
		t.send, stop = inBackground(t.send, l.Flight)
		defer stop()
	}
	s.next += l.calls
	began := time.Now()
	if err := t.exchange(); err != nil {
		return measured{}, err
	}
	return measured{report.Microseconds(time.Since(began)) / float64(l.calls), t.took}, nil
}

// exchange keeps the number of calls in flight constant.
func (t *traffic) exchange() error {
	if err := t.ask(0, t.Flight); err != nil {
		return err
	}
	for asked := t.Flight; len(t.took) < t.calls; {
		before := len(t.took)
		if err := t.read(); err != nil {
			return err
		}
		count := min(len(t.took)-before, t.calls-asked)
		if count == 0 {
			continue
		}
		if err := t.ask(asked, count); err != nil {
			return err
		}
		asked += count
	}
	return nil
}

// ask sends count calls.
func (t *traffic) ask(from, count int) error {
	now := time.Now()
	for i := range count {
		t.sent[from+i] = now
	}
	return t.send(t.first+from, count)
}

// read reads one answer and those that have already arrived.
func (t *traffic) read() error {
	for {
		id, size, err := t.answer()
		if err != nil {
			return err
		}
		if id < t.first || size < t.Size {
			return fmt.Errorf("answer %d of %d bytes", id-t.first, size)
		}
		t.took = append(t.took, report.Microseconds(time.Since(t.sent[id-t.first])))
		if len(t.took) == t.calls || !t.another() {
			return nil
		}
	}
}

// inBackground writes calls in a separate goroutine, because calls and answers that fill
// both pipes would otherwise block each other.
func inBackground(write func(id, count int) error, room int) (queue func(id, count int) error, stop func()) {
	type order struct{ id, count int }
	orders := make(chan order, room+1)
	failed := make(chan error, 1)
	go func() { // ends with stop
		for o := range orders {
			if err := write(o.id, o.count); err != nil {
				failed <- err
				return
			}
		}
	}()
	return func(id, count int) error {
		select {
		case err := <-failed:
			return err
		case orders <- order{id, count}:
			return nil
		}
	}, func() { close(orders) }
}
