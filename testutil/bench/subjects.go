package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// The programs, as make bench builds them.
const (
	aggregator = "bin/mcp-simple-aggregator"
	child      = "bin/bench/child"
	relay      = "bin/bench/relay"
	typed      = "bin/bench/typedproxy"
	empty      = "bin/bench/empty"
)

// The subjects of the calls.
const (
	direct       = "direct"
	bareRelay    = "relay"
	aggregator1  = "aggregator, 1 child"
	aggregator12 = "aggregator, 12 children"
	typedProxy   = "typed proxy"
)

// ours is what the tools of the first server are prefixed with.
const ours = "s0:"

// config writes an mcpServers file of servers, each the child with arguments.
func config(servers ...[]string) (path string, err error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return "", err
	}
	command, err := filepath.Abs(child)
	if err != nil {
		return "", err
	}
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	all := make(map[string]server)
	for i, args := range servers {
		all[fmt.Sprintf("s%d", i)] = server{command, args}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, "config.json")
	return path, os.WriteFile(path, text, 0o600)
}

// alike are n servers with the same arguments.
func alike(n int, args ...string) [][]string {
	servers := make([][]string, n)
	for i := range servers {
		servers[i] = append([]string{}, args...)
	}
	return servers
}

// aggregate opens the aggregator in front of servers.
func aggregate(servers ...[]string) (*session, error) {
	path, err := config(servers...)
	if err != nil {
		return nil, err
	}
	return open(ours, aggregator, "--config", path)
}

// ready returns the session of a program that has just been opened, once its
// tools are there.
func ready(s *session, err error) (*session, error) {
	if err != nil {
		return nil, err
	}
	if err := s.greet(); err != nil {
		return nil, err
	}
	return s, s.list()
}

// subjects opens all ways to a child.
func subjects() (all []subject, err error) {
	add := func(name string, s *session, failed error) {
		if err == nil && failed != nil {
			err = fmt.Errorf("%s: %w", name, failed)
		}
		all = append(all, subject{name, s})
	}
	s, failed := ready(open("", child))
	add(direct, s, failed)
	s, failed = ready(open("", relay, child))
	add(bareRelay, s, failed)
	s, failed = ready(aggregate(alike(1)...))
	add(aggregator1, s, failed)
	s, failed = ready(aggregate(alike(12)...))
	add(aggregator12, s, failed)
	s, failed = ready(open(ours, typed, child))
	add(typedProxy, s, failed)
	return all, err
}

func closeAll(all []subject) {
	for _, s := range all {
		_ = s.close() // what it was measured for is known
	}
}
