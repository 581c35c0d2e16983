package child_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"mcp-aggregator/modules/child"
)

// sink is a standard input that accepts everything.
type sink struct {
	bytes.Buffer
	closed int
}

func (s *sink) Close() error { s.closed++; return nil }

// send sends one line in two parts.
func send(o child.Outbox, line string) error {
	defer o.Flush()
	half := len(line) / 2
	return o.Send([]byte(line[:half]), []byte(line[half:]))
}

func TestOutboxKeepsOrderAndFlushesBeforeItCloses(t *testing.T) {
	dst := &sink{}
	o := child.NewOutbox(dst, 1<<20)
	var run sync.WaitGroup
	run.Go(o.Run)
	var want strings.Builder
	for i := range 10_000 {
		line := fmt.Sprint("line ", i)
		if err := send(o, line); err != nil {
			t.Fatal(err)
		}
		want.WriteString(line + "\n")
	}
	o.Close()
	o.Close() // may be called several times
	if err := send(o, "late"); !errors.Is(err, child.ErrOutboxClosed) {
		t.Errorf("after close: %v", err)
	}
	run.Wait()
	if dst.String() != want.String() {
		t.Errorf("%d bytes arrived, %d were sent, or not in order", dst.Len(), want.Len())
	}
	if dst.closed != 1 {
		t.Errorf("closed %d times", dst.closed)
	}
}

func TestOutboxKeepsLinesOfManySendersApart(t *testing.T) {
	dst := &sink{}
	o := child.NewOutbox(dst, 1<<20)
	var run, senders sync.WaitGroup
	run.Go(o.Run)
	for s := range 8 {
		senders.Go(func() {
			for i := range 200 {
				if err := send(o, fmt.Sprintf("%d:%03d", s, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	senders.Wait()
	o.Close()
	run.Wait()
	var next [8]int
	for line := range strings.Lines(dst.String()) {
		var s, i int
		if _, err := fmt.Sscanf(line, "%d:%d\n", &s, &i); err != nil || next[s] != i {
			t.Fatalf("line %q: %v, want number %d", line, err, next[s])
		}
		next[s]++
	}
}

func TestOutboxLimit(t *testing.T) {
	tests := []struct {
		name    string
		limit   int
		before  []string
		line    string
		refused bool
	}{
		{"less than the limit waits", 10, []string{"1234", "123"}, "1", false},
		{"the limit waits", 10, []string{"1234", "1234"}, "1", true},
		{"larger than the limit, alone", 10, nil, strings.Repeat("x", 100), false},
		{"larger than the limit, behind another", 10, []string{"1"}, strings.Repeat("x", 100), false},
		{"small, behind one larger than the limit", 10, []string{strings.Repeat("x", 100)}, "1", true},
		{"an empty line counts for its newline", 3, []string{"1", ""}, "", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dst := &sink{}
			o := child.NewOutbox(dst, test.limit)
			want := ""
			for _, line := range test.before {
				if err := send(o, line); err != nil {
					t.Fatal(err)
				}
				want += line + "\n"
			}
			err := send(o, test.line)
			if errors.Is(err, child.ErrQueueFull) != test.refused || (err != nil) != test.refused {
				t.Errorf("error %v, refused should be %t", err, test.refused)
			}
			if !test.refused {
				want += test.line + "\n"
			}
			o.Close()
			o.Run()
			if dst.String() != want {
				t.Errorf("arrived %q, want %q", dst.String(), want)
			}
		})
	}
}

func TestOutboxOfAReaderThatStopsReadingDoesNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, dst := io.Pipe()
		o := child.NewOutbox(dst, 100)
		var run sync.WaitGroup
		run.Go(o.Run)
		line := strings.Repeat("x", 9)
		_ = send(o, line)
		synctest.Wait() // run is blocked in Write
		sent := 1
		for send(o, line) == nil {
			sent++
		}
		if sent != 10 {
			t.Errorf("%d lines were taken, want 10: what is being written counts", sent)
		}
		if _, err := io.ReadFull(in, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the next batch is being written
		if err := send(o, line); err != nil {
			t.Errorf("there is room again: %v", err)
		}
		if err := send(o, line); !errors.Is(err, child.ErrQueueFull) {
			t.Errorf("the room is used up: %v", err)
		}
		o.Close()
		rest, err := io.ReadAll(in)
		if want := strings.Repeat(line+"\n", 10); string(rest) != want || err != nil {
			t.Errorf("arrived %q, %v, want %q", rest, err, want)
		}
		run.Wait()
	})
}

func TestOutboxWithABrokenPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, dst := io.Pipe()
		o := child.NewOutbox(dst, 100)
		var run sync.WaitGroup
		run.Go(o.Run)
		_ = send(o, "one")
		synctest.Wait()
		_ = send(o, "two")
		_ = in.Close()
		run.Wait() // without Close
		if err := send(o, "three"); !errors.Is(err, child.ErrOutboxClosed) {
			t.Errorf("after the pipe broke: %v", err)
		}
		o.Close()
	})
}

// partialWriter is a TryWriter that accepts a random part.
type partialWriter struct {
	mu     sync.Mutex
	bytes  []byte
	random *rand.Rand
	tries  int
}

func (m *partialWriter) TryWrite(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tries++
	n := len(p)
	if m.random.IntN(3) == 0 {
		n = m.random.IntN(len(p) + 1)
	}
	m.bytes = append(m.bytes, p[:n]...)
	return n, nil
}

func (m *partialWriter) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes = append(m.bytes, p...)
	return len(p), nil
}

func (*partialWriter) Close() error { return nil }

func TestOutboxWithPartialWrites(t *testing.T) {
	for seed := range uint64(20) {
		dst := &partialWriter{random: rand.New(rand.NewPCG(seed, 0))}
		o := child.NewOutbox(dst, 1<<20)
		var run, senders sync.WaitGroup
		run.Go(o.Run)
		for s := range 4 {
			senders.Go(func() {
				for i := range 300 {
					if err := o.Send(fmt.Appendf(nil, "%d:%d", s, i)); err != nil {
						t.Error(err)
					}
					if i%3 == 0 {
						o.Flush()
					}
				}
			})
		}
		senders.Wait()
		o.Close()
		run.Wait()
		var next [4]int
		for line := range strings.Lines(string(dst.bytes)) {
			var s, i int
			if _, err := fmt.Sscanf(line, "%d:%d\n", &s, &i); err != nil || next[s] != i {
				t.Fatalf("seed %d: line %q: %v, want number %d", seed, line, err, next[s])
			}
			next[s]++
		}
		if next != [4]int{300, 300, 300, 300} || dst.tries == 0 {
			t.Errorf("seed %d: %v lines arrived, after %d tries", seed, next, dst.tries)
		}
	}
}

func TestOutboxWritesNothingBeforeItIsFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dst := &partialWriter{random: rand.New(rand.NewPCG(0, 0))}
		o := child.NewOutbox(dst, 100)
		var run sync.WaitGroup
		run.Go(o.Run)
		_ = o.Send([]byte("one"))
		_ = o.Send([]byte("two"))
		synctest.Wait()
		if len(dst.bytes) > 0 {
			t.Errorf("%q before the flush", dst.bytes)
		}
		o.Flush()
		synctest.Wait()
		if string(dst.bytes) != "one\ntwo\n" || dst.tries != 1 {
			t.Errorf("%q after the flush, in %d writes", dst.bytes, dst.tries)
		}
		o.Close()
		run.Wait()
	})
}

// brokenWriter is a TryWriter that always fails.
type brokenWriter struct{ sink }

func (*brokenWriter) TryWrite([]byte) (int, error) { return 0, io.ErrClosedPipe }

func (*brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestOutboxWithAPipeThatBreaksInTryWrite(t *testing.T) {
	o := child.NewOutbox(&brokenWriter{}, 100)
	var run sync.WaitGroup
	run.Go(o.Run)
	_ = send(o, "one")
	run.Wait() // without Close
	if err := send(o, "two"); !errors.Is(err, child.ErrOutboxClosed) {
		t.Errorf("after the pipe broke: %v", err)
	}
}
