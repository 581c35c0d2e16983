//go:build unix

package child_test

import (
	"log/slog"
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

func TestAGrandchildDiesWithTheGroup(t *testing.T) {
	for _, grandchild := range []string{"sleep", "stubborn"} {
		t.Run(grandchild, func(t *testing.T) {
			s := newRealServers(t)
			c := s.start(child.Options{}, s.server("a", "serve"))
			pid := result[int](c, "a", "fork "+grandchild) // holds stdout open
			s.eventually("the grandchild runs", func() bool { return slices.Contains(s.mark.Alive(), pid) })
			want(t, "answer", c.callTool("a", "exit 7").await(t), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
			want(t, "exit", c.failure("a").Exit, "exit status 7")
			s.wantNoProcess() // before any Stop
		})
	}
}

func TestAGrandchildIsGoneWhenStopReturns(t *testing.T) {
	t.Parallel()
	s := newRealServers(t)
	c := s.start(child.Options{Grace: testTimeout, StopBudget: 2 * testTimeout}, s.server("a", "serve"))
	pid := result[int](c, "a", "fork stubborn")
	s.eventually("the grandchild runs", func() bool { return slices.Contains(s.mark.Alive(), pid) })
	c.stop()
	want(t, "events", s.events("a"), "spawned, stdin closed, ended: exit status 0")
	s.wantNoProcess()
}

func TestAnEscapedGrandchildDoesNotHideTheDeathOfTheChild(t *testing.T) {
	t.Parallel()
	s := newRealServers(t)
	c := s.start(child.Options{}, s.server("a", "serve"))
	escaped := result[int](c, "a", "escape sleep")
	t.Cleanup(func() { _ = syscall.Kill(escaped, syscall.SIGKILL) })
	s.eventually("the grandchild runs", func() bool { return slices.Contains(s.mark.Alive(), escaped) })
	pending := c.callTool("a", "hang")
	want(t, "answer", c.callTool("a", "exit 7").await(t), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
	want(t, "answer of a pending call", pending.await(t), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
	want(t, "exit", c.failure("a").Exit, "exit status 7")
	c.stop() // does not wait for it
	want(t, "the escaped grandchild is alive", slices.Contains(s.mark.Alive(), escaped), true)
}

func TestTheWholeGroupIsTerminated(t *testing.T) {
	t.Parallel()
	s := newRealServers(t)
	server := s.server("a", "tidy")
	note := filepath.Join(t.TempDir(), "note")
	server.Env = append(server.Env, config.Var{Name: noteFileVariable, Value: note})
	server.Command, server.Args = "/bin/sh", []string{"-c", `trap : TERM; "$0" <&0 & wait; wait`, os.Args[0]}
	c := startServersAt(t, slog.LevelDebug, s.spawner(), child.Options{Grace: 2 * time.Second, StopBudget: testTimeout}, server)
	s.eventually("the grandchild waits", func() bool { return strings.Contains(c.log.String(), "waiting") })
	c.stop()
	if text, err := os.ReadFile(note); string(text) != "tidied up" {
		t.Errorf("the grandchild left %q, %v", text, err)
	}
}

func TestKillEndsEveryGroupAtOnce(t *testing.T) {
	t.Parallel()
	s := newRealServers(t)
	c := s.start(child.Options{Grace: time.Hour, StopBudget: time.Hour}, s.server("a", "stubborn"), s.inShell("b", "stubborn"), s.server("c", "serve"))
	result[int](c, "c", "fork stubborn")
	stopping := make(chan error, 1)
	go func() { stopping <- c.Stop(t.Context()) }()
	s.eventually("stdin is closed", func() bool { return strings.Contains(s.events("b"), "stdin closed") })
	c.Kill()
	if err := <-stopping; err != nil {
		t.Error(err)
	}
	s.wantNoProcess()
	c.Kill() // there is nothing to kill
}

func TestARealChildThatDoesNotReadIsStopped(t *testing.T) {
	t.Parallel()
	s := newRealServers(t)
	c := s.start(child.Options{Grace: 200 * time.Millisecond, StopBudget: testTimeout}, s.server("a", "serve"), s.server("b", "serve"))
	c.callTool("a", "deaf")
	pending := c.sendLine("a", callOfSize(10<<20), "x")
	want(t, "answer of the other", c.callTool("b", "stderr x").await(t), `{"jsonrpc":"2.0","id":0,"result":true}`)
	c.stop()
	want(t, "answer", pending.await(t), stopped)
}

// descriptors returns how many files this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(files)
}

func TestNoDescriptorIsLeftOpen(t *testing.T) {
	round := func() {
		s := newRealServers(t)
		broken := s.server("broken", "serve")
		broken.Command = script(t, "\x7fELF nonsense")
		c := s.start(child.Options{}, s.server("a", "serve"), s.server("b", "serve"), broken, config.ServerConfig{Key: "none", Command: "no such command"})
		c.callTool("b", "exit 7").await(t)
		want(t, "state", c.status("broken").State, child.Failed)
		c.stop()
	}
	round() // the runtime keeps some open
	before := descriptors(t)
	for range 3 {
		round()
	}
	want(t, "descriptors", descriptors(t), before)
}
