package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"mcp-aggregator/bench/report"
)

// load makes requests over HTTP in turn for a while, on so many connections, one at a time
// on each.
func load(address string, all []*request, flight int, d time.Duration) (took report.Samples, err error) {
	var work sync.WaitGroup
	each := make([]report.Samples, flight)
	failed := make([]error, flight)
	stop := time.Now().Add(d)
	for i := range flight {
		work.Go(func() {
			own := make([]*request, len(all))
			for n, r := range all {
				own[(n+i)%len(own)] = r.clone()
			}
			each[i], failed[i] = repeat(address, own, i, stop)
		})
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

func repeat(address string, all []*request, lane int, stop time.Time) (took report.Samples, err error) {
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
		r := all[n%len(all)]
		body, err := c.do(r.number(n))
		if err != nil {
			return nil, err
		}
		if !r.answers(body) {
			return nil, fmt.Errorf("not a result: %.500s", body)
		}
		took = append(took, report.Microseconds(time.Since(began)))
	}
}
