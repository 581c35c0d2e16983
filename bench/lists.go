package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mcp-aggregator/bench/report"
)

const (
	pairs      = 3  // of processes, in a round
	listsEach  = 20 // asked of each process
	fewTools   = 1_000
	manyTools  = 10_000
	toolsOfOne = "-tools=%d"
)

// lists measures tools/list of many tools, of a child and of the aggregator's
// snapshot. How two processes fall on the cores makes a factor of two: a round has
// several pairs of new ones.
func (l *lab) lists(r *report.Report) error {
	r.Lists = []report.List{{Tools: fewTools}, {Tools: manyTools}}
	few, many := &r.Lists[0], &r.Lists[1]
	return interleave(pairs*l.rounds,
		func() error { return l.pair(few) },
		func() error { return l.pair(many) },
	)
}

// pair asks a child and the aggregator in turn, and adds the median of each.
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
