package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
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

// ours is the prefix of the first server's tools.
const ours = "s0:"

// lab holds what the stages share.
type lab struct {
	rounds int
	folder string // for config files
	files  int
}

func newLab(rounds int) (*lab, error) {
	if rounds < 1 {
		return nil, fmt.Errorf("-rounds %d: take at least 1", rounds)
	}
	folder, err := os.MkdirTemp("", "bench")
	return &lab{rounds: rounds, folder: folder}, err
}

func (l *lab) close() error { return os.RemoveAll(l.folder) }

// few returns the number of rounds for slow stages.
func (l *lab) few() int { return min(l.rounds, max(3, l.rounds/3)) }

// interleave runs every case once per round, in random order, so that other load on the
// machine affects all cases alike and none is always first.
func interleave(rounds int, cases ...func() error) error {
	for range rounds {
		for _, i := range rand.Perm(len(cases)) {
			if err := cases[i](); err != nil {
				return err
			}
		}
	}
	return nil
}

// config writes an mcpServers file in which each server is the child with arguments.
func (l *lab) config(servers ...[]string) (path string, err error) {
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
	l.files++
	path = filepath.Join(l.folder, fmt.Sprintf("%d.json", l.files))
	return path, os.WriteFile(path, text, 0o600)
}

// aggregate starts the aggregator with the given servers.
func (l *lab) aggregate(servers ...[]string) (*session, error) {
	path, err := l.config(servers...)
	if err != nil {
		return nil, err
	}
	return open(aggregator, "--config", path)
}

// alike returns n servers with the same arguments.
func alike(n int, args ...string) [][]string {
	servers := make([][]string, n)
	for i := range servers {
		servers[i] = append([]string{}, args...)
	}
	return servers
}
