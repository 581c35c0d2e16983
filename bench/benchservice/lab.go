package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lab holds what the stages share.
type lab struct {
	options

	folder string // for databases and config files
	files  int
}

// servers holds the entries of an mcpServers file.
type servers map[string]map[string]any

// cheap returns the entry of a child with that many tools, including the 7 it always has.
func cheap(tools int) (map[string]any, error) {
	command, err := filepath.Abs(child)
	return map[string]any{"command": command, "args": []string{fmt.Sprintf("-tools=%d", tools-7)}}, err
}

// serve starts the service with a new database and waits until it is connected to all
// servers.
func (l *lab) serve(all servers) (s *service, err error) {
	text, err := json.Marshal(map[string]any{"mcpServers": all})
	if err != nil {
		return nil, err
	}
	l.files++
	base := filepath.Join(l.folder, fmt.Sprint(l.files))
	if err := os.WriteFile(base+".json", text, 0o600); err != nil {
		return nil, err
	}
	p, err := start(aggregator, "serve", "--listen", "127.0.0.1:0", "--database", base+".db", "--config", base+".json")
	if err != nil {
		return nil, err
	}
	s = &service{program: p}
	s.ready = time.Since(p.began)
	if err := s.await(len(all)); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	s.connected = time.Since(p.began)
	return s, nil
}

// service is a running mcp-aggregator.
type service struct {
	*program

	ready, connected time.Duration // since exec, until it listens and until all servers are connected
}

// awaitTime bounds the wait for servers.
const awaitTime = time.Minute

// await waits until that many servers are connected.
func (s *service) await(count int) error {
	for deadline := time.Now().Add(awaitTime); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		var listed struct{ Servers []struct{} }
		if err := get(s.address, "/api/v1/aggregator/servers?status=CONNECTED", &listed); err != nil {
			return err
		}
		if len(listed.Servers) == count {
			return nil
		}
	}
	return fmt.Errorf("%d servers are not connected after %s", count, awaitTime)
}
