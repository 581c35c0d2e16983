package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/servers"
)

// seeds are the servers of mcpServers files, which are registered when the service
// starts, unless servers of their names are.
type seeds struct {
	drafts   []servers.Draft
	registry *servers.ServerRegistry
	log      *slog.Logger
}

// newSeeds reads the files: before anything is started, so that a wrong one starts
// nothing. Their variables are expanded when the servers are connected.
func newSeeds(o Options, registry *servers.ServerRegistry, log *slog.Logger) (*seeds, error) {
	s := &seeds{registry: registry, log: log}
	names := make(map[string]bool)
	for _, path := range o.Configs {
		file, err := config.NewLoader(config.Path(path), nil).WithRemotes().Load()
		if err != nil {
			return nil, err
		}
		if len(file.Problems) > 0 {
			return nil, file.Problems
		}
		for _, entry := range file.Servers {
			if !entry.Disabled {
				s.drafts = append(s.drafts, s.draft(file, entry, names))
			}
		}
	}
	return s, s.check()
}

// draft makes a server of an entry, under the nearest legal name.
func (s *seeds) draft(file *config.File, entry config.Entry, names map[string]bool) servers.Draft {
	d := servers.Draft{Name: legalName(entry.Key, names), AutoConnect: true}
	names[d.Name] = true
	if d.Name != entry.Key {
		s.log.Warn("server renamed: names of servers have letters, digits, _ and - only",
			slog.String("file", file.Path), slog.String("key", entry.Key), slog.String("name", d.Name))
	}
	if r := entry.Remote; r != nil {
		d.Transport = servers.HTTP
		if r.SSE {
			d.Transport = servers.SSE
		}
		d.Connection = servers.Connection{URL: r.URL, Headers: values(r.Headers)}
		return d
	}
	d.Transport = servers.Stdio
	d.Connection = servers.Connection{Command: entry.Command, Args: entry.Args, Env: values(entry.Env), Cwd: folder(file, entry)}
	return d
}

func values(vars []config.Var) map[string]string {
	if len(vars) == 0 {
		return nil
	}
	values := make(map[string]string, len(vars))
	for _, v := range vars {
		values[v.Name] = v.Value
	}
	return values
}

// folder takes a relative folder from where the file is, as the stdio program does.
func folder(file *config.File, entry config.Entry) string {
	if entry.Cwd == nil {
		return ""
	}
	if cwd := *entry.Cwd; filepath.IsAbs(cwd) || strings.HasPrefix(cwd, "$") {
		return cwd
	}
	return filepath.Join(filepath.Dir(file.Path), *entry.Cwd)
}

var illegal = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// legalName is the nearest name to key that is legal and not taken.
func legalName(key string, taken map[string]bool) string {
	base := illegal.ReplaceAllString(key, "_")
	base = base[:min(len(base), servers.MaxName-len("-999"))]
	name := base
	for n := 2; taken[name]; n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name
}

// check refuses what cannot be registered.
func (s *seeds) check() error {
	var problems []error
	for _, d := range s.drafts {
		for _, problem := range d.Check() {
			problems = append(problems, fmt.Errorf("server %q: %s %s", d.Name, strings.ReplaceAll(problem.Pointer[1:], "/", "."), problem.Message))
		}
	}
	if len(problems) > 0 {
		return &configError{errors.Join(problems...)}
	}
	return nil
}

// start registers those that are not registered.
func (s *seeds) start(ctx context.Context) error {
	for _, d := range s.drafts {
		if _, err := s.registry.Register(ctx, d); err != nil && !errors.Is(err, servers.ErrNameTaken) {
			return fmt.Errorf("server %q: %w", d.Name, err)
		}
	}
	return nil
}
