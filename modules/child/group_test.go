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
			s := newStage(t)
			c := s.raise(child.Options{}, s.actor("a", "serve"))
			pid := result[int](c, "a", "fork "+grandchild) // holds stdout open
			s.eventually("the grandchild runs", func() bool { return slices.Contains(s.mark.Alive(), pid) })
			want(t, "answer", c.ask("a", "exit 7").await(t), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
			want(t, "exit", c.failure("a").Exit, "exit status 7")
			s.wantNobody() // although nobody has stopped anything yet
		})
	}
}

func TestAGrandchildIsGoneWhenStopReturns(t *testing.T) {
	s := newStage(t)
	c := s.raise(child.Options{Grace: patience, StopBudget: 2 * patience}, s.actor("a", "serve"))
	pid := result[int](c, "a", "fork stubborn")
	s.eventually("the grandchild runs", func() bool { return slices.Contains(s.mark.Alive(), pid) })
	c.dismiss()
	want(t, "events", s.events("a"), "spawned, stdin closed, ended: exit status 0")
	s.wantNobody()
}

func TestAnEscapedGrandchildDoesNotHideTheDeathOfTheChild(t *testing.T) {
	s := newStage(t)
	c := s.raise(child.Options{}, s.actor("a", "serve"))
	escaped := result[int](c, "a", "escape sleep")
	t.Cleanup(func() { _ = syscall.Kill(escaped, syscall.SIGKILL) })
	s.eventually("the grandchild runs", func() bool { return slices.Contains(s.mark.Alive(), escaped) })
	pending := c.ask("a", "hang")
	want(t, "answer", c.ask("a", "exit 7").await(t), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
	want(t, "answer of a pending call", pending.await(t), crashed(`{"server":"a","exitStatus":"exit status 7"}`))
	want(t, "exit", c.failure("a").Exit, "exit status 7")
	c.dismiss() // which does not wait for it either
	want(t, "the grandchild, which nobody owns", slices.Contains(s.mark.Alive(), escaped), true)
}

func TestTheWholeGroupIsAskedToEnd(t *testing.T) {
	s := newStage(t)
	server := s.actor("a", "tidy")
	note := filepath.Join(t.TempDir(), "note")
	server.Env = append(server.Env, config.Var{Name: noteVariable, Value: note})
	server.Command, server.Args = "/bin/sh", []string{"-c", `trap : TERM; "$0" <&0 & wait; wait`, os.Args[0]}
	c := musterAt(t, slog.LevelDebug, s.spawner(), child.Options{Grace: 2 * time.Second, StopBudget: patience}, server)
	s.eventually("the grandchild waits", func() bool { return strings.Contains(c.log.String(), "waiting") })
	c.dismiss()
	if text, err := os.ReadFile(note); string(text) != "tidied up" {
		t.Errorf("the grandchild left %q, %v", text, err)
	}
}

func TestKillEndsEveryGroupAtOnce(t *testing.T) {
	s := newStage(t)
	c := s.raise(child.Options{Grace: time.Hour, StopBudget: time.Hour}, s.actor("a", "stubborn"), s.wrapped("b", "stubborn"), s.actor("c", "serve"))
	result[int](c, "c", "fork stubborn")
	stopping := make(chan error, 1)
	go func() { stopping <- c.Stop(t.Context()) }()
	s.eventually("stdin is closed", func() bool { return strings.Contains(s.events("b"), "stdin closed") })
	c.Kill()
	if err := <-stopping; err != nil {
		t.Error(err)
	}
	s.wantNobody()
	c.Kill() // hits nobody
}

func TestARealChildThatDoesNotReadIsEnded(t *testing.T) {
	s := newStage(t)
	c := s.raise(child.Options{Grace: 200 * time.Millisecond, StopBudget: patience}, s.actor("a", "serve"), s.actor("b", "serve"))
	c.ask("a", "deaf")
	pending := c.send("a", sized(10<<20), "x")
	want(t, "answer of the other", c.ask("b", "stderr x").await(t), `{"jsonrpc":"2.0","id":0,"result":true}`)
	c.dismiss()
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
		s := newStage(t)
		broken := s.actor("broken", "serve")
		broken.Command = script(t, "\x7fELF nonsense")
		c := s.raise(child.Options{}, s.actor("a", "serve"), s.actor("b", "serve"), broken, config.ServerConfig{Key: "none", Command: "no such command"})
		c.ask("b", "exit 7").await(t)
		want(t, "state", c.status("broken").State, child.Failed)
		c.dismiss()
	}
	round() // the runtime opens some for good
	before := descriptors(t)
	for range 3 {
		round()
	}
	want(t, "descriptors", descriptors(t), before)
}
