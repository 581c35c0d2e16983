package child_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// tools is a child.Tools that writes down.
type tools struct {
	mu  sync.Mutex
	log []string
}

func (s *tools) Set(key string, definitions [][]byte) int {
	s.note("set " + key + " " + string(bytes.Join(definitions, []byte(" "))))
	return len(definitions)
}

func (s *tools) Remove(key string) { s.note("remove " + key) }

func (s *tools) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, strings.TrimSpace(line))
}

func (s *tools) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// flushes is a child.Client that counts.
type flushes struct {
	mu    sync.Mutex
	count int
}

func (f *flushes) Flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
}

func (f *flushes) sum() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// logbook keeps what was logged, without the time.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logbook) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

func (b *logbook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logbook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
