package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mcp-aggregator/bench/report"
)

const (
	pairs      = 3  // pairs of processes per round
	listsEach  = 20 // lists requested from each process
	fewTools   = 1_000
	manyTools  = 10_000
	toolsOfOne = "-tools=%d"
)

// lists measures tools/list with many tools, of a child and of the aggregator's snapshot.
// The placement of processes on cores can make a factor of two, so each round starts
// several new pairs.
func (l *lab) lists(r *report.Report) error {
	r.Lists = []report.List{{Tools: fewTools}, {Tools: manyTools}}
	few, many := &r.Lists[0], &r.Lists[1]
	return interleave(pairs*l.rounds,
		func() error { return l.pair(few) },
		func() error { return l.pair(many) },
	)
}

// pair measures a child and the aggregator alternately, and adds the median of each.
func (l *lab) pair(f *report.List) error {
	arg := fmt.Sprintf(toolsOfOne, f.Tools)
	opens := []func() (*session, error){
		func() (*session, error) { return open(child, arg) },
		func() (*session, error) { return l.aggregate([]string{arg}) },
	}
	sessions := make([]*session, len(opens))
	for _, i := range rand.Perm(len(opens)) {
		s, err := ready(opens[i]())
		if err != nil {
			return err
		}
		sessions[i] = s
	}
	took := make([]report.Samples, len(sessions))
	err := interleave(listsEach,
		func() error { return timeList(sessions[0], &took[0]) },
		func() error { return timeList(sessions[1], &took[1]) },
	)
	f.Direct = append(f.Direct, took[0].Median())
	f.Through = append(f.Through, took[1].Median())
	return errors.Join(err, sessions[0].close(), sessions[1].close())
}

func timeList(s *session, took *report.Samples) error {
	began := time.Now()
	err := s.list()
	*took = append(*took, milliseconds(time.Since(began)))
	return err
}
