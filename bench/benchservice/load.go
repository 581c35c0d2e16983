package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"mcp-aggregator/bench/report"
)

// load makes calls over HTTP for a while, on several connections, one at a time on each.
func load(address string, r *request, flight int, d time.Duration) (took report.Samples, err error) {
	var work sync.WaitGroup
	each := make([]report.Samples, flight)
	failed := make([]error, flight)
	stop := time.Now().Add(d)
	for i := range flight {
		work.Go(func() { each[i], failed[i] = repeat(address, r.clone(), i, stop) })
	}
	work.Wait()
	for _, some := range each {
		took = append(took, some...)
	}
	return took, errors.Join(failed...)
}

// apart is the distance between the ids of connections, so that ids of a session are
// unique.
const apart = 10_000_000

func repeat(address string, r *request, lane int, stop time.Time) (took report.Samples, err error) {
	c, err := dial(address)
	if err != nil {
		return nil, err
	}
	defer c.close()
	for n := lane * apart; ; n++ {
		began := time.Now()
		if began.After(stop) {
			return took, nil
		}
		body, err := c.do(r.number(n))
		if err != nil {
			return nil, err
		}
		if !sound(body) {
			return nil, fmt.Errorf("not a result: %.500s", body)
		}
		took = append(took, report.Microseconds(time.Since(began)))
	}
}
