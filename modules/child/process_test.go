//go:build unix

package child_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcp-aggregator/config"
	"mcp-aggregator/modules/child"
)

func TestARealChild(t *testing.T) {
	s := newRealServers(t)
	server := s.server("a", "serve")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server.Dir = dir
	server.Args = []string{"", "-x", "a b", `"$HOME"\`, "ä\n"}
	server.Env = append(server.Env, config.Var{Name: "OWN", Value: "of a=1\n"}, config.Var{Name: "HOME", Value: "/own"})
	t.Setenv("HOME", "/inherited")
	t.Setenv("LC_X", "inherited")
	t.Setenv("SOME_API_KEY", "not inherited")
	other := s.server("b", "serve")
	other.Env = append(other.Env, config.Var{Name: "OTHER", Value: "of b"})
	c := s.start(child.Options{}, server, other)

	about := result[processInfo](c, "a", "about")
	want(t, "it leads a group", about.Group, about.Pid)
	want(t, "the group is not ours", about.Group != syscall.Getpgrp(), true)
	want(t, "folder", about.Dir, dir)
	want(t, "arguments", strings.Join(about.Args, "|"), strings.Join(append([]string{os.Args[0]}, server.Args...), "|"))
	for variable, there := range map[string]bool{
		"OWN=of a=1\n": true, "HOME=/own": true, "HOME=/inherited": false, "LC_X=inherited": true, "OTHER=of b": false,
		"SOME_API_KEY=not inherited": false, config.ChainVariable + "=null": false,
	} {
		want(t, "it has "+variable, slices.Contains(about.Env, variable), there)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	want(t, "folder of the other", result[processInfo](c, "b", "about").Dir, here)
	want(t, "bytes of a large call", result[int](c, "a", "length "+strings.Repeat("x", 5_000_000)) > 5_000_000, true)
	c.wantLog()
}

func TestACommandIsFoundOnTheServersPathAndKeepsItsName(t *testing.T) {
	s := newRealServers(t)
	folder := t.TempDir()
	binary, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(folder, "known-by-its-name")); err != nil {
		t.Fatal(err)
	}
	server := s.server("a", "serve")
	server.Command = "known-by-its-name"
	server.Env = append(server.Env, config.Var{Name: "PATH", Value: folder})
	c := s.start(child.Options{}, server)
	want(t, "its name", result[processInfo](c, "a", "about").Args[0], "known-by-its-name")
}

func TestHowRealChildrenEnd(t *testing.T) {
	tests := []struct{ tool, exit string }{
		{"exit 0", "exit status 0"},
		{"exit 7", "exit status 7"},
		{"signal KILL", "signal: killed"},
	}
	for _, wrap := range []bool{false, true} {
		for _, test := range tests {
			name, exit := test.tool, test.exit
			if wrap {
				name, exit = name+", within a shell", "exit status 0" // the shell's
			}
			t.Run(name, func(t *testing.T) {
				s := newRealServers(t)
				server := s.server("a", "serve")
				if wrap {
					server = s.inShell("a", "serve")
				}
				c := s.start(child.Options{}, server, s.server("b", "serve"))
				c.callTool("a", "stderr last words, "+helperSecret).await(t)
				pending := c.callTool("a", "hang")
				want(t, "answer", c.callTool("a", test.tool).await(t), crashed(`{"server":"a","exitStatus":"`+exit+`"}`))
				want(t, "answer of a pending call", pending.await(t), crashed(`{"server":"a","exitStatus":"`+exit+`"}`))
				failure := c.failure("a")
				want(t, "the shell may say more", strings.HasPrefix(failure.Stderr, "last words, [redacted]"), true)
				failure.Stderr = ""
				want(t, "failure", failure, child.Error{Key: "a", Phase: child.Runtime, Reason: "the process ended", Exit: exit})
				want(t, "state of the other", c.status("b").State, child.Running)
				want(t, "events of the other", s.events("b"), "spawned")
			})
		}
	}
}

func TestARealChildThatEndsAtOnce(t *testing.T) {
	s := newRealServers(t)
	server := s.server("a", "none")
	server.Command, server.Args = "/bin/sh", []string{"-c", "echo I cannot >&2; exit 3"}
	c := s.start(child.Options{}, server)
	failure := c.failure("a")
	want(t, "exit", failure.Exit, "exit status 3")
	want(t, "stderr", failure.Stderr, "I cannot")
	want(t, "reason", failure.Reason, "the process ended")
	want(t, "phase", failure.Phase == child.Startup || failure.Phase == child.Initialization, true)
}

func TestStoppingRealChildren(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, behavior string
		wrapped        bool
		grace          time.Duration
		events         string
	}{
		{"a well-behaved one ends with its stdin", "serve", false, testTimeout, "spawned, stdin closed, ended: exit status 0"},
		{"so does one within a shell", "serve", true, testTimeout, "spawned, stdin closed, ended: exit status 0"},
		{"one that ignores the end of stdin is terminated", "linger", false, 3 * time.Second, "spawned, stdin closed, terminated, ended: signal: terminated"},
		{"so is one within a shell", "linger", true, 3 * time.Second, "spawned, stdin closed, terminated, ended: signal: terminated"},
		{"one that ignores SIGTERM is killed", "stubborn", false, 200 * time.Millisecond, "spawned, stdin closed, terminated, killed, ended: signal: killed"},
		{"one that never starts to speak", "sleep", false, 3 * time.Second, "spawned, stdin closed, terminated, ended: signal: terminated"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newRealServers(t)
			server := s.server("a", test.behavior)
			if test.wrapped {
				server = s.inShell("a", test.behavior)
			}
			o := child.Options{Grace: test.grace, StopBudget: 3 * testTimeout}
			if test.behavior == "sleep" {
				o.WarnAfter, o.HandshakeTimeout = time.Hour, 100*time.Millisecond
			}
			c := s.start(o, server)
			c.stop()
			want(t, "events", s.events("a"), test.events)
			want(t, "processes left when Stop returns", len(s.mark.Alive()), 0)
		})
	}
}

func TestAChildThatIgnoresSIGTERMDelaysNoOther(t *testing.T) {
	t.Parallel()
	s := newRealServers(t)
	c := s.start(child.Options{Grace: 500 * time.Millisecond, StopBudget: testTimeout},
		s.server("deaf", "stubborn"), s.server("a", "serve"), s.inShell("b", "serve"))
	c.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	at := func(event string) int {
		return slices.IndexFunc(s.entries, func(e string) bool { return strings.Contains(e, ": "+event) })
	}
	for _, key := range []string{"a", "b"} {
		if ended, killed := at(key+" ended"), at("deaf killed"); ended < 0 || ended > killed {
			t.Errorf("%s did not end before the stubborn one was killed: %q", key, s.entries)
		}
	}
}

func TestAStoppedProcessIsKilled(t *testing.T) {
	t.Parallel()
	s := newRealServers(t)
	c := s.start(child.Options{Grace: 200 * time.Millisecond, StopBudget: testTimeout}, s.server("a", "serve"))
	c.callTool("a", "signal STOP")
	c.stop()
	want(t, "its end", s.events("a"), "spawned, stdin closed, terminated, killed, ended: signal: killed")
}
