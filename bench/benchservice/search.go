package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"mcp-aggregator/bench/proc"
	"mcp-aggregator/bench/report"
)

// testSet has the tools and the queries that modules/search is measured with.
const testSet = "modules/search/testdata/scale"

// searches measures searches at the scale that the service is made for, and at that of
// AG-US2-AC6.
func (l *lab) searches(r *Report) error {
	for _, size := range []struct{ servers, tools int }{{manyServers, manyTools}, {10, 1000}} {
		f, err := l.searching(size.servers, size.tools)
		if err != nil {
			return err
		}
		r.Search = append(r.Search, f)
	}
	return nil
}

func (l *lab) searching(count, tools int) (f *Search, err error) {
	all, err := l.pooled(count, tools)
	if err != nil {
		return nil, err
	}
	s, err := l.serve(all)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	f = &Search{Servers: count, Tools: tools}
	if err := s.indexed(tools); err != nil {
		return nil, err
	}
	time.Sleep(time.Second) // it has come to rest
	if f.Idle, err = resident(s.pid()); err != nil {
		return nil, err
	}
	requests, err := queries(s.address)
	if err != nil {
		return nil, err
	}
	for range l.rounds {
		if err := l.searchRound(f, s, requests); err != nil {
			return nil, err
		}
	}
	f.After, err = resident(s.pid())
	return f, err
}

// searchRound measures searches one at a time, then 64 at once.
func (l *lab) searchRound(f *Search, s *service, requests []*request) error {
	took, err := load(s.address, requests, 1, l.slice)
	if err != nil {
		return err
	}
	f.P50 = append(f.P50, took.Quantile(0.5)/1000)
	f.P99 = append(f.P99, took.Quantile(0.99)/1000)
	before, err := proc.CPU(s.pid())
	if err != nil {
		return err
	}
	began := time.Now()
	if took, err = load(s.address, requests, 64, l.slice); err != nil {
		return err
	}
	n := float64(len(took))
	f.PerSecond = append(f.PerSecond, n/time.Since(began).Seconds())
	after, err := proc.CPU(s.pid())
	f.CPU = append(f.CPU, report.Microseconds(after-before)/n)
	return err
}

// indexed waits until that many tools are searched.
func (s *service) indexed(tools int) error {
	for deadline := time.Now().Add(awaitTime); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var found struct {
			Metadata struct {
				Tools int `json:"total_tools_searched"`
			}
		}
		if err := get(s.address, "/api/v1/search?q=tool", &found); err != nil {
			return err
		}
		if found.Metadata.Tools == tools {
			return nil
		}
	}
	return fmt.Errorf("%d tools are not indexed after %s", tools, awaitTime)
}

// pooled returns servers with the tools of the set in turn. Those that are needed beyond
// it are its first again.
func (l *lab) pooled(count, tools int) (servers, error) {
	var definitions []map[string]any
	if err := readLines("tools", &definitions); err != nil {
		return nil, err
	}
	command, err := filepath.Abs(child)
	if err != nil {
		return nil, err
	}
	lists := make([][]map[string]any, count)
	for i := range tools {
		tool := definitions[i%len(definitions)]
		tool["name"] = fmt.Sprintf("%v_%d", tool["name"], i) // those of several servers meet in one
		lists[i%count] = append(lists[i%count], map[string]any{
			"name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"],
		})
	}
	all := make(servers)
	for i, list := range lists {
		text, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		file := filepath.Join(l.folder, fmt.Sprintf("tools%d-%d.json", count, i))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return nil, err
		}
		all[serverName(i)] = map[string]any{"command": command, "args": []string{"-offer=" + file}}
	}
	return all, nil
}

// queries returns a search for each query of the set.
func queries(address string) (requests []*request, err error) {
	var all []map[string]any
	if err := readLines("queries", &all); err != nil {
		return nil, err
	}
	for _, q := range all {
		body, err := json.Marshal(map[string]any{"query": q["query"]})
		if err != nil {
			return nil, err
		}
		requests = append(requests, &request{text: post(address, "/api/v1/search", "", string(body)), found: true})
	}
	return requests, nil
}

// readLines reads a file of the set.
func readLines(name string, into *[]map[string]any) error {
	file, err := os.ReadFile(filepath.Join(testSet, name+".jsonl.gz"))
	if err != nil {
		return err
	}
	text, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return err
	}
	for lines := json.NewDecoder(text); ; {
		var line map[string]any
		switch err := lines.Decode(&line); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		*into = append(*into, line)
	}
}
