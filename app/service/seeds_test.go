package service_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mcp-aggregator/app/service"
	"mcp-aggregator/modules/servers"
)

func TestEveryKeyGetsALegalNameOfItsOwn(t *testing.T) {
	t.Parallel()
	key := rapid.OneOf(
		rapid.StringMatching(`[A-Za-z0-9_-]{1,64}`), rapid.StringMatching(`[a. é]{1,3}`), rapid.StringN(1, 80, -1),
		rapid.Just(strings.Repeat("a", servers.MaxName)), rapid.Just(strings.Repeat("a", servers.MaxName)+"b"),
	)
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(key, rapid.ID[string]).Draw(t, "keys")
		names := service.LegalNames(keys)
		taken := map[string]bool{}
		for i, name := range names {
			legal := func(name string) bool {
				return servers.Draft{Name: name, Transport: servers.Stdio, Connection: servers.Connection{Command: "x"}}.Validate() == nil
			}
			if !legal(name) || taken[name] {
				t.Fatalf("%q are called %q", keys, names)
			}
			if legal(keys[i]) && name != keys[i] {
				t.Fatalf("%q is legal, and is called %q", keys[i], name)
			}
			taken[name] = true
		}
		slices.Reverse(keys)
		reversed := service.LegalNames(keys)
		slices.Reverse(reversed)
		if len(names) > 0 && !slices.Equal(names, reversed) {
			t.Fatalf("%q are called %q, in the other order %q", keys, names, reversed)
		}
	})
}

func TestServersOfFilesAreDrafted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "mcp.json")
	text := `{"mcpServers": {
		"a b": {"command": "run", "args": ["${X}"], "env": {"K": "$Y"}, "cwd": "sub"},
		"at": {"command": "run", "cwd": "${HERE}/sub"},
		"http": {"url": "https://host/mcp", "headers": {"A": "Bearer ${T}"}},
		"sse": {"type": "sse", "url": "https://host/sse"},
		"off": {"command": "run", "disabled": true}}}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	got, err := service.Drafts(service.Options{Configs: []string{file}, Stderr: &log})
	if err != nil {
		t.Fatal(err)
	}
	want := []servers.Draft{
		{Name: "a_b", Transport: servers.Stdio, AutoConnect: true, Connection: servers.Connection{
			Command: "run", Args: []string{"${X}"}, Env: map[string]string{"K": "$Y"}, Cwd: filepath.Join(folder, "sub"),
		}},
		{Name: "at", Transport: servers.Stdio, AutoConnect: true, Connection: servers.Connection{Command: "run", Cwd: "${HERE}/sub"}},
		{Name: "http", Transport: servers.HTTP, AutoConnect: true, Connection: servers.Connection{
			URL: "https://host/mcp", Headers: map[string]string{"A": "Bearer ${T}"},
		}},
		{Name: "sse", Transport: servers.SSE, AutoConnect: true, Connection: servers.Connection{URL: "https://host/sse"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), `key="a b" name=a_b`) {
		t.Errorf("log: %s", &log)
	}
}

// A restart with the same files registers nothing again, neither renamed servers nor those
// in two files.
func TestFilesAreRegisteredOnce(t *testing.T) {
	folder := t.TempDir()
	var files []string
	for name, text := range map[string]string{
		"one.json": `{"mcpServers": {"a": {"command": "run"}, "b c": {"command": "run", "args": ["2"]}}}`,
		"two.json": `{"mcpServers": {"a": {"command": "run"}, "b.c": {"command": "run", "args": ["3"]}}}`,
	} {
		files = append(files, filepath.Join(folder, name))
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(files)
	database := filepath.Join(folder, "a.db")
	with := func(o *service.Options) { o.Configs, o.Database = files, database }
	s := start(t, nil, with)
	first := s.names()
	if len(first) != 3 || first[0] != "a" {
		t.Fatalf("%q", first)
	}
	s.rest(http.MethodPatch, "/aggregator/servers/"+s.id("a"), `{"name":"renamed"}`)
	s.stop()
	if got := start(t, nil, with).names(); len(got) != 3 || !slices.Contains(got, "renamed") {
		t.Errorf("%q", got)
	}
}

// names returns the names of all servers.
func (s *running) names() (names []string) {
	for _, server := range s.servers() {
		names = append(names, server.Name)
	}
	slices.Sort(names)
	return names
}

// id returns the id of the server with that name.
func (s *running) id(name string) string {
	for _, server := range s.servers() {
		if server.Name == name {
			return server.ID
		}
	}
	return ""
}

func (s *running) servers() []shown {
	s.t.Helper()
	_, text := s.rest(http.MethodGet, "/aggregator/servers", "")
	return decode[struct{ Servers []shown }](s.t, text).Servers
}
