package main

import (
	"errors"
	"slices"
	"time"

	"mcp-aggregator/bench/report"
)

// field holds the programs of one round and the paths through them.
type field struct {
	ways   []way
	closes []func() error
}

func (f *field) close() (err error) {
	for _, each := range slices.Backward(f.closes) {
		err = errors.Join(err, each())
	}
	return err
}

// started registers a program to be stopped at the end of the round.
func (f *field) started(p *program, err error) (*program, error) {
	if err == nil {
		f.closes = append(f.closes, p.stop)
	}
	return p, err
}

// field starts everything. The caller must close the field, even after an error.
func (l *lab) field() (*field, error) {
	f := &field{}
	remote, err := f.started(start(backend))
	if err != nil {
		return f, err
	}
	gateway, err := f.started(start(typed, "-listen", "127.0.0.1:0", child))
	if err != nil {
		return f, err
	}
	direct, err := openPipe()
	if err != nil {
		return f, err
	}
	f.closes = append(f.closes, direct.close)
	f.ways = append(f.ways, way{Direct, direct.cmd.Process.Pid, direct.run})
	if err := f.reach(Plain, remote, "x100"); err != nil {
		return f, err
	}
	if err := f.reach(Typed, gateway, "s0:x100"); err != nil {
		return f, err
	}
	return f, l.enter(f, remote.address)
}

// reach adds the path to a tool through a program's /mcp.
func (f *field) reach(name string, p *program, tool string) error {
	session, err := initialize(p.address)
	if err == nil {
		f.add(name, p, overMCP(p.address, session, "tools/call", params(tool)))
	}
	return err
}

func (f *field) add(name string, p *program, r *request) {
	f.ways = append(f.ways, way{name, p.pid(), func(flight int, d time.Duration) (report.Samples, error) {
		return load(p.address, []*request{r}, flight, d)
	}})
}

// enter adds the paths through the service.
func (l *lab) enter(f *field, remote string) error {
	entry, err := cheap(7)
	if err != nil {
		return err
	}
	s, err := l.serve(servers{
		"stdio": entry,
		"http":  {"type": "http", "url": "http://" + remote + "/mcp"},
		"sse":   {"type": "sse", "url": "http://" + remote + "/sse"},
	})
	if err != nil {
		return err
	}
	f.closes = append(f.closes, s.stop)
	f.add(REST, s.program, overREST(s.address, params("stdio.x100")))
	return errors.Join(
		f.reach(Stdio, s.program, "stdio.x100"),
		f.reach(HTTP, s.program, "http.x100"),
		f.reach(SSE, s.program, "sse.x100"),
	)
}
