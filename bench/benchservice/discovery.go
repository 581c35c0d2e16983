package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Sizes of what is discovered.
const (
	toolsOfOne = 1_000
	together   = 20 // servers, registered at the same time
	toolsEach  = 200
)

// discovery measures registrations, each with a new service.
func (l *lab) discovery(r *Report) error {
	r.Discovery = &Discovery{}
	for range l.rounds {
		s, err := l.serve(servers{})
		if err != nil {
			return err
		}
		if err := errors.Join(s.one(r.Discovery), s.many(r.Discovery), s.stop()); err != nil {
			return err
		}
	}
	return nil
}

// one registers a server of 1,000 tools.
func (s *service) one(f *Discovery) error {
	began := time.Now()
	if err := s.register("one", toolsOfOne); err != nil {
		return err
	}
	f.Answered = append(f.Answered, milliseconds(time.Since(began)))
	if err := s.await(1); err != nil {
		return err
	}
	if err := s.listed(toolsOfOne); err != nil {
		return err
	}
	f.Listed = append(f.Listed, milliseconds(time.Since(began)))
	return nil
}

// many registers 20 servers at the same time.
func (s *service) many(f *Discovery) error {
	var work sync.WaitGroup
	failed, took := make([]error, together), make([]float64, together)
	began := time.Now()
	for i := range together {
		work.Go(func() {
			failed[i] = s.register(serverName(i), toolsEach)
			took[i] = milliseconds(time.Since(began))
		})
	}
	work.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if err := s.await(1 + together); err != nil {
		return err
	}
	if err := s.listed(toolsOfOne + together*toolsEach); err != nil {
		return err
	}
	f.AllConnected = append(f.AllConnected, milliseconds(time.Since(began)))
	for _, t := range took {
		f.Slowest = max(f.Slowest, t)
	}
	return nil
}

func (s *service) register(name string, tools int) error {
	entry, err := cheap(tools)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"name": name, "transport_type": "STDIO", "connection_config": entry})
	if err != nil {
		return err
	}
	response, err := http.Post("http://"+s.address+"/api/v1/aggregator/servers", "application/json", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	return read(response, http.StatusCreated, new(any))
}

// listed checks that the given number of tools can be called.
func (s *service) listed(tools int) error {
	var listed struct{ Total int }
	if err := get(s.address, "/api/v1/tools", &listed); err != nil {
		return err
	}
	if listed.Total != tools {
		return fmt.Errorf("GET /tools has %d tools, not %d", listed.Total, tools)
	}
	return nil
}
