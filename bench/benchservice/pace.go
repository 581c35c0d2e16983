package main

import (
	"errors"
	"time"
)

// pace makes 100 calls a second on each lane, on all lanes at the same time, cycling
// through 50 servers: directly to children, to a plain HTTP server, and through the
// service.
func (l *lab) pace(f *Scale, s *service) (err error) {
	d, err := newDirect()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	plain, err := start(backend)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plain.stop()) }()
	session, err := initialize(s.address)
	if err != nil {
		return err
	}
	mcp := newLane(Stdio, s.address, func(tool string) *request { return overMCP(s.address, session, "tools/call", params(tool)) })
	rest := newLane(REST, s.address, func(tool string) *request { return overREST(s.address, params(tool)) })
	http := newLane(Plain, plain.address, func(string) *request { return overMCP(plain.address, "", "tools/call", params("x100")) })
	lanes := []*lane{d.lane(), http, mcp, rest}
	err = march(lanes, l.steady, func() error {
		now, err := resident(s.pid())
		f.During = max(f.During, now)
		return err
	})
	for _, l := range lanes {
		f.Lanes = append(f.Lanes, l.end())
	}
	return err
}

// march makes the calls of every lane, each at its own offset within the same period,
// whether or not earlier calls were answered. It calls look once a second.
func march(lanes []*lane, d time.Duration, look func() error) error {
	const period = time.Second / perSecond
	step := period / time.Duration(len(lanes))
	began := time.Now()
	for n := range int(d / step) {
		time.Sleep(time.Until(began.Add(time.Duration(n) * step)))
		lanes[n%len(lanes)].begin(n / len(lanes))
		if n%(len(lanes)*perSecond) != 0 {
			continue
		}
		if err := look(); err != nil {
			return err
		}
	}
	return nil
}
