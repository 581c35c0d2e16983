package main

import (
	"errors"
	"os"

	"mcp-aggregator/bench/report"
)

// oneCoreLoads are the loads of a container with one processor.
func oneCoreLoads() []load {
	return []load{
		{report.Load{Payload: text, Size: 100, Flight: 1}, 3_000},
		{report.Load{Payload: text, Size: 100, Flight: 64}, 12_000},
		{report.Load{Payload: text, Size: 10_000, Flight: 1}, 1_500},
	}
}

// oneCore measures calls with everything on one processor: the driver, the program under
// test and the child.
func (l *lab) oneCore(r *report.Report) (err error) {
	var ways []way
	for _, w := range l.ways() {
		switch w.name {
		case report.Direct, report.Relay, report.Aggregator12:
			ways = append(ways, w)
		}
	}
	if err := os.Setenv("GOMAXPROCS", "1"); err != nil { // inherited by child processes
		return err
	}
	defer func() { err = errors.Join(err, os.Unsetenv("GOMAXPROCS")) }()
	leave, err := pin()
	if err != nil {
		return err
	}
	defer leave()
	r.OneCore, err = l.rates(ways, oneCoreLoads())
	return err
}
