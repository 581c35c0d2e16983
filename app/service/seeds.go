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

// drafts are the servers of mcpServers files.
type drafts []servers.Draft

// readDrafts reads the files. Their variables are expanded when the servers are
// connected.
func readDrafts(o Options, log *slog.Logger) (drafts, error) {
	r := &draftReader{log: log, names: make(map[string]bool)}
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
				r.add(file, entry)
			}
		}
	}
	if len(r.problems) > 0 {
		return nil, &configError{errors.Join(r.problems...)}
	}
	return r.drafts, nil
}

// draftReader collects the drafts of all files, and what is wrong with them.
type draftReader struct {
	log      *slog.Logger
	names    map[string]bool // that are taken
	drafts   drafts
	problems []error
}

// add makes a server of an entry, under the nearest legal name.
func (r *draftReader) add(file *config.File, entry config.Entry) {
	d := draftOf(file, entry)
	d.Name = legalName(entry.Key, r.names)
	r.names[d.Name] = true
	if d.Name != entry.Key {
		r.log.Warn("server renamed: names of servers have letters, digits, _ and - only, and are unique",
			slog.String("file", file.Path), slog.String("key", entry.Key), slog.String("name", d.Name))
	}
	r.drafts = append(r.drafts, d)
	for _, problem := range d.Check() {
		where := strings.TrimPrefix(strings.ReplaceAll(problem.Pointer[1:], "/", "."), "connection_config.")
		r.problems = append(r.problems, fmt.Errorf("%s: mcpServers.%s.%s: %s", file.Path, entry.Key, where, problem.Message))
	}
}

func draftOf(file *config.File, entry config.Entry) servers.Draft {
	d := servers.Draft{AutoConnect: true}
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
	name := base[:min(len(base), servers.MaxName)]
	for n := 2; taken[name]; n++ {
		suffix := "-" + strconv.Itoa(n)
		name = base[:min(len(base), servers.MaxName-len(suffix))] + suffix
	}
	return name
}

// seeds are the drafts, which are registered when the service starts, unless servers
// of their names are.
type seeds struct {
	drafts   drafts
	registry *servers.ServerRegistry
}

func newSeeds(d drafts, registry *servers.ServerRegistry) *seeds { return &seeds{d, registry} }

func (s *seeds) start(ctx context.Context) error {
	for _, d := range s.drafts {
		if _, err := s.registry.Register(ctx, d); err != nil && !errors.Is(err, servers.ErrNameTaken) {
			return fmt.Errorf("server %q: %w", d.Name, err)
		}
	}
	return nil
}
