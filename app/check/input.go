package app

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/doctor"
	"mcp-aggregator/modules/upstream"
)

// input gathers what is known of the servers, for the doctor.
func (n *node) input(o Options, client string) doctor.Input {
	p := doctor.Input{
		Client: client, Empty: len(n.file.Servers) == 0, Rules: nameRules(), Wait: upstream.ListWait, Patterns: n.unmatched(o),
		Machine: doctor.Machine{Look: onPath, Interpreter: interpreter},
	}
	tools := n.toolsOf(o)
	now, desktop := config.NewEnv(o.Environ), config.NewEnv(desktopEnviron(o.Environ))
	entries := make(map[string]config.Entry)
	for _, entry := range n.file.Servers {
		entries[entry.Key] = entry
	}
	statuses := n.manager.Statuses()
	for i, server := range n.config.Servers {
		s := underDesktop(n.file.Path, entries[server.Key], server, desktop)
		s.Now, _ = pathFor(server, now)
		s.Running, s.Ready, s.Failure = statuses[i].State == child.Running, statuses[i].Ready, failureOf(statuses[i].Err)
		s.Tools = tools[server.Key]
		p.Servers = append(p.Servers, s)
	}
	return p
}

// underDesktop expands one server's entry as it would be if a desktop
// application had started us.
func underDesktop(file string, entry config.Entry, server config.ServerConfig, desktop config.Env) doctor.Server {
	s := doctor.Server{Key: server.Key, Place: config.Place(server.Key)}
	if entry.Command == server.Command { // no variables in it
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

// pathFor returns the PATH that a server gets, and whether its own env sets it.
func pathFor(server config.ServerConfig, env config.Env) (path string, own bool) {
	path, _ = env.Lookup("PATH")
	for _, v := range server.Env {
		if v.Name == "PATH" || runtime.GOOS == "windows" && strings.EqualFold(v.Name, "PATH") {
			path, own = v.Value, true
		}
	}
	return path, own
}

// onPath is the Look of doctor.Machine. A PATH may name folders that are not
// absolute; commands are not looked up there.
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

// interpreter is the Interpreter of doctor.Machine.
func interpreter(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 256).ReadSlice('\n') // a program has no such line
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
