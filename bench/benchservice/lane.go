package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"mcp-aggregator/bench/report"
)

// lane makes calls of one kind at a fixed rate.
type lane struct {
	name string
	call func(n int) (body []byte, err error)
	done func()

	began time.Time
	last  time.Time // start of the last call
	work  sync.WaitGroup

	mu      sync.Mutex
	took    report.Samples // milliseconds
	routing report.Samples // milliseconds, as reported in the response
	errors  []error
}

// begin starts the call with the given number, without waiting for it.
func (l *lane) begin(n int) {
	l.last = time.Now()
	if l.began.IsZero() {
		l.began = l.last
	}
	l.work.Go(func() {
		began := time.Now()
		body, err := l.call(n)
		l.ended(time.Since(began), body, err)
	})
}

// metadata is the metadata of a call in REST's response.
type metadata struct {
	Metadata *struct {
		Routing float64 `json:"routing_time_ms"`
	}
}

func (l *lane) ended(took time.Duration, body []byte, err error) {
	var said metadata
	if err == nil && !sound(body) {
		err = fmt.Errorf("not a result: %.300s", body)
	}
	if err == nil {
		err = json.Unmarshal(body, &said)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.errors = append(l.errors, err)
		return
	}
	l.took = append(l.took, milliseconds(took))
	if said.Metadata != nil {
		l.routing = append(l.routing, said.Metadata.Routing)
	}
}

// end waits for the open calls and returns the measurements.
func (l *lane) end() Lane {
	l.work.Wait()
	l.done()
	f := Lane{
		Way: l.name, Calls: len(l.took) + len(l.errors), Errors: len(l.errors),
		P50: l.took.Quantile(0.5), P99: l.took.Quantile(0.99), Max: l.took.Quantile(1),
		Routing50: l.routing.Quantile(0.5), Routing99: l.routing.Quantile(0.99),
	}
	f.PerSecond = float64(f.Calls-1) / l.last.Sub(l.began).Seconds()
	if f.Errors > 0 {
		f.Error = l.errors[0].Error()
	}
	return f
}

// newLane returns a lane over HTTP with a connection per open call, which cycles through
// the servers.
func newLane(name, address string, prepare func(tool string) *request) *lane {
	var requests []*request
	for i := range manyServers {
		requests = append(requests, prepare(serverName(i)+".x100"))
	}
	free := &pool{address: address}
	return &lane{name: name, done: free.close, call: func(n int) ([]byte, error) {
		c, err := free.take()
		if err != nil {
			return nil, err
		}
		defer free.give(c)
		return c.do(requests[n%manyServers].clone().number(n))
	}}
}

// pool holds idle connections.
type pool struct {
	address string

	mu   sync.Mutex
	idle []*conn
}

func (p *pool) take() (*conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return dial(p.address)
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return c, nil
}

func (p *pool) give(c *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
}

func (p *pool) close() {
	for _, c := range p.idle {
		c.close()
	}
}

// direct calls as many children as the service has, without the service.
type direct []*pipe

func newDirect() (d direct, err error) {
	for range manyServers {
		p, err := openPipe()
		if err != nil {
			return nil, errors.Join(err, d.close())
		}
		d = append(d, p)
	}
	return d, nil
}

func (d direct) lane() *lane {
	return &lane{name: Direct, done: func() {}, call: func(n int) ([]byte, error) { return d[n%len(d)].call() }}
}

func (d direct) close() (err error) {
	for _, p := range d {
		err = errors.Join(err, p.close())
	}
	return err
}
