package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/servers"
)

// drafts are the servers of the mcpServers files of --config.
type drafts []servers.Draft

// readDrafts reads the files. Their variables are expanded when the servers are
// connected.
func readDrafts(o Options, log *slog.Logger) (drafts, error) {
	r := &draftReader{}
	for _, path := range o.Configs {
		file, err := config.NewLoader(config.Path(path), nil).WithRemotes().Load()
		if err != nil {
			return nil, err
		}
		if len(file.Problems) > 0 {
			return nil, file.Problems
		}
		for _, entry := range file.Servers {
			if !entry.Disabled && !r.have(file, entry) {
				r.keys = append(r.keys, key{file.Path, entry.Key})
				r.add(file, entry)
			}
		}
	}
	if len(r.problems) > 0 {
		return nil, &configError{errors.Join(r.problems...)}
	}
	for i, name := range legalNames(r.keys) {
		r.drafts[i].Name = name
		if key := r.keys[i]; name != key.text {
			log.Warn("server renamed: names of servers have letters, digits, _ and - only, and are unique",
				slog.String("file", key.file), slog.String("key", key.text), slog.String("name", name))
		}
	}
	return r.drafts, nil
}

// draftReader collects the drafts and the problems of all files.
type draftReader struct {
	keys     []key
	drafts   drafts
	problems []error
}

// have reports whether an earlier file has the same server under the same key.
func (r *draftReader) have(file *config.File, entry config.Entry) bool {
	d := draftOf(file, entry)
	for i, k := range r.keys {
		other := r.drafts[i]
		if k.text == entry.Key && other.Transport == d.Transport && reflect.DeepEqual(other.Connection, d.Connection) {
			return true
		}
	}
	return false
}

// add adds the draft of an entry. It gets its name once all keys are known.
func (r *draftReader) add(file *config.File, entry config.Entry) {
	d := draftOf(file, entry)
	r.drafts = append(r.drafts, d)
	d.Name = "legal"
	for _, problem := range d.Validate() {
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

// folder resolves a relative folder against that of the file, as the stdio program does.
func folder(file *config.File, entry config.Entry) string {
	if entry.Cwd == nil {
		return ""
	}
	if cwd := *entry.Cwd; filepath.IsAbs(cwd) || strings.HasPrefix(cwd, "$") {
		return cwd
	}
	return filepath.Join(filepath.Dir(file.Path), *entry.Cwd)
}

// seeds registers the drafts when the service starts, unless they are registered already.
type seeds struct {
	drafts   drafts
	registry *servers.ServerRegistry
	log      *slog.Logger
}

func newSeeds(d drafts, registry *servers.ServerRegistry, log *slog.Logger) *seeds {
	return &seeds{d, registry, log}
}

func (s *seeds) start(ctx context.Context) error {
	for _, d := range s.drafts {
		if s.registered(d) {
			continue
		}
		if _, err := s.registry.Register(ctx, d); err != nil {
			return fmt.Errorf("server %q: %w", d.Name, err)
		}
	}
	return nil
}

// registered reports whether a server has the name of d, or is the same server under
// another name: it was renamed, or the file had other keys when it was registered.
func (s *seeds) registered(d servers.Draft) bool {
	for _, known := range s.registry.Servers() {
		same := known.SameTarget(servers.Server{Transport: d.Transport, Connection: d.Connection})
		switch {
		case known.Name == d.Name && !same:
			s.log.Warn("server of a file not registered: a server of its name is, with another connection", slog.String("name", d.Name))
			return true
		case known.Name == d.Name, same && !s.drafts.have(known.Name): // it was renamed
			return true
		}
	}
	return false
}

func (d drafts) have(name string) bool {
	return slices.ContainsFunc(d, func(other servers.Draft) bool { return other.Name == name })
}

// key is the key of a server in a file.
type key struct{ file, text string }

var illegal = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// legalNames returns the nearest legal names for the keys. A legal key is its own name;
// other keys whose names would collide get a hash of the key, so that a name does not
// depend on the order of the keys.
func legalNames(keys []key) []string {
	wanted, owner := make(map[string]int), make(map[string]int)
	for i, k := range keys {
		name := legal(k.text)
		wanted[name]++
		if _, taken := owner[name]; name == k.text && !taken {
			owner[name] = i
		}
	}
	names, taken := make([]string, len(keys)), make(map[string]bool)
	for i, k := range keys {
		names[i] = legal(k.text)
		first, owned := owner[names[i]]
		if wanted[names[i]] > 1 && (!owned || first != i) {
			names[i] = withHash(names[i], k.text)
		}
		if taken[names[i]] { // the same key in two files
			names[i] = withHash(legal(k.text), k.file+"\x00"+k.text)
		}
		taken[names[i]] = true
	}
	return names
}

func legal(text string) string {
	name := illegal.ReplaceAllString(text, "_")
	return name[:min(len(name), servers.MaxName)]
}

func withHash(name, text string) string {
	sum := sha256.Sum256([]byte(text))
	suffix := "-" + hex.EncodeToString(sum[:3])
	return name[:min(len(name), servers.MaxName-len(suffix))] + suffix
}
