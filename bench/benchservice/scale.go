package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"mcp-aggregator/bench/proc"
	"mcp-aggregator/bench/report"
)

// The scale that the service is designed for.
const (
	manyServers = 50
	manyTools   = 10_000
	perSecond   = 100
	ownTools    = 2 // the service's own tools in tools/list
	lists       = 10
)

// scale measures the service with the numbers of servers and tools it is designed for.
func (l *lab) scale(r *Report) (err error) {
	all := make(servers)
	for i := range manyServers {
		if all[serverName(i)], err = cheap(manyTools / manyServers); err != nil {
			return err
		}
	}
	s, err := l.serve(all)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	f := &Scale{Listening: milliseconds(s.ready), Connected: milliseconds(s.connected)}
	r.Scale = f
	time.Sleep(time.Second) // let it settle
	if f.Idle, err = resident(s.pid()); err != nil {
		return err
	}
	if err := s.lists(f); err != nil {
		return err
	}
	if f.Listed, err = resident(s.pid()); err != nil {
		return err
	}
	if err := l.pace(f, s); err != nil {
		return err
	}
	time.Sleep(time.Second)
	f.After, err = resident(s.pid())
	return err
}

func serverName(i int) string { return fmt.Sprintf("s%d", i) }

func resident(pid int) (megabytes float64, err error) {
	m, err := proc.MemoryOf(pid)
	return float64(m.Now) / (1 << 20), err
}

// lists measures both ways to list all tools.
func (s *service) lists(f *Scale) error {
	session, err := initialize(s.address)
	if err != nil {
		return err
	}
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	r := overMCP(s.address, session, "tools/list", "{}")
	for n := range lists {
		began := time.Now()
		body, err := c.do(r.number(n))
		if err != nil {
			return err
		}
		f.ListMCP = append(f.ListMCP, milliseconds(time.Since(began)))
		if n := bytes.Count(body, []byte(`"inputSchema"`)); n != manyTools+ownTools {
			return fmt.Errorf("tools/list has %d tools", n)
		}
	}
	for range lists {
		began := time.Now()
		var listed struct{ Total int }
		if err := get(s.address, "/api/v1/tools", &listed); err != nil {
			return err
		}
		f.ListREST = append(f.ListREST, milliseconds(time.Since(began)))
		if listed.Total != manyTools {
			return fmt.Errorf("GET /tools has %d tools", listed.Total)
		}
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return report.Microseconds(d) / 1000 }
