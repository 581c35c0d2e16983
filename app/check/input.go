package check

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"mcp-aggregator/app/simple"
	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/modules/registry"
	"mcp-aggregator/modules/upstream"
)

// gatherer collects the input of the doctor from a running aggregator.
type gatherer struct {
	node   *simple.Node
	o      simple.Options
	listed []simple.ListedTool // with --lean
}

func (g gatherer) input(client string) doctor.Input {
	n := g.node
	p := doctor.Input{
		Client: client, Empty: len(n.File.Servers) == 0, Rules: nameRules(), Wait: upstream.ListWait, Patterns: g.unmatched(),
		Machine: doctor.Machine{LookPath: onPath, Interpreter: interpreter}, Lean: g.o.Lean,
	}
	for _, tool := range g.listed {
		p.Listed = append(p.Listed, doctor.Tool{Name: tool.Name, Definition: tool.Definition})
	}
	tools := g.tools()
	now, desktop := config.NewEnv(g.o.Environ), config.NewEnv(desktopEnviron(g.o.Environ))
	entries := make(map[string]config.Entry)
	for _, entry := range n.File.Servers {
		entries[entry.Key] = entry
	}
	statuses := n.Manager.Statuses()
	for i, server := range n.Config.Servers {
		s := underDesktop(n.File.Path, entries[server.Key], server, desktop)
		s.Now, _ = pathFor(server, now)
		s.Running, s.Ready, s.Failure = statuses[i].State == child.Running, statuses[i].Ready, failureOf(statuses[i].Err)
		s.Tools = tools[server.Key]
		p.Servers = append(p.Servers, s)
	}
	return p
}

// underDesktop expands one server's entry as if a desktop application had started
// this program.
func underDesktop(file string, entry config.Entry, server config.ServerConfig, desktop config.Env) doctor.Server {
	s := doctor.Server{Key: server.Key, Place: config.ServerPath(server.Key)}
	if entry.Command == server.Command { // it holds no variables
		s.Command = server.Command
	}
	alone := &config.File{Path: file, Servers: []config.Entry{entry}}
	expanded, err := config.NewExpander(desktop).Expand(alone)
	problems, _ := errors.AsType[config.Errors](err)
	for _, p := range problems {
		s.Missing = append(s.Missing, doctor.Variable{Name: p.Variable, Where: p.Path})
	}
	s.Desktop, s.OwnPath = pathFor(server, desktop)
	if err == nil {
		s.Desktop, s.OwnPath = pathFor(expanded.Servers[0], desktop)
	}
	return s
}

// pathFor returns the PATH of a server, and whether the server's own env sets it.
func pathFor(server config.ServerConfig, env config.Env) (path string, own bool) {
	path, _ = env.Lookup("PATH")
	for _, v := range server.Env {
		if v.Name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(v.Name, "PATH") {
			path, own = v.Value, true
		}
	}
	return path, own
}

// onPath implements doctor.Machine.Look. Folders of PATH that are not absolute are
// skipped, because commands are not looked up there.
func onPath(command, path string) string {
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(folder, command)); err == nil {
			return found
		}
	}
	return ""
}

// interpreter implements doctor.Machine.Interpreter.
func interpreter(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n') // a binary has no such line
	words := strings.Fields(string(line))
	if len(words) < 2 || !strings.HasPrefix(words[0], "#!") || filepath.Base(words[0]) != "env" {
		return ""
	}
	for _, word := range words[1:] {
		if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return word
		}
	}
	return ""
}

// failureOf converts the failure of a server, which may be nil, for the doctor.
func failureOf(e *child.Error) *doctor.Failure {
	if e == nil {
		return nil
	}
	f := &doctor.Failure{Symptom: doctor.Malformed, Reason: e.Reason, Exit: e.Exit, Stderr: e.Stderr}
	switch {
	case e.Exit != "":
		f.Symptom = doctor.Ended
	case e.Phase == child.Startup:
		f.Symptom = doctor.NotStarted
	case e.Late:
		f.Symptom = doctor.Silent
	}
	return f
}

// unmatched returns the patterns of the command line that match no tool; of --pin, those
// that match none that is shown.
func (g gatherer) unmatched() (patterns []doctor.Pattern) {
	var names []string
	for _, entry := range g.node.Tools.Snapshot().Entries() {
		names = append(names, entry.Canonical)
	}
	pins := registry.Filter{Allow: g.o.Pin}.Unmatched(names)
	rest := registry.Filter{Allow: g.o.Allow, Deny: g.o.Deny}.Unmatched(append(names, g.node.Tools.HiddenNames()...))
	add := func(flag string, unmatched []string) {
		for _, pattern := range unmatched {
			patterns = append(patterns, doctor.Pattern{Flag: flag, Text: pattern})
		}
	}
	add("--allow", rest.Allow)
	add("--deny", rest.Deny)
	add("--pin", pins.Allow)
	return patterns
}
