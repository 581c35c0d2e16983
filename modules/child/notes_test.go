package child_test

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"mcp-aggregator/modules/child"
	"mcp-aggregator/modules/wire"
	"mcp-aggregator/testutil"
)

// tools is a child.Tools that writes down.
type tools struct {
	mu  sync.Mutex
	log []string
}

func (s *tools) ReplaceTools(key string, definitions [][]byte) int {
	s.note("set " + key + " " + string(bytes.Join(definitions, []byte(" "))))
	return len(definitions)
}

func (s *tools) RemoveTools(key string) { s.note("remove " + key) }

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

// flushes is a child.Client that counts, keeps what is passed to it, and
// answers every request with the same error.
type flushes struct {
	mu     sync.Mutex
	count  int
	passed []string
	left   int
}

func (f *flushes) HandleServerMessage(m *wire.Message, from child.Origin) {
	f.mu.Lock()
	f.passed = append(f.passed, string(m.Line))
	f.mu.Unlock()
	if m.Kind == wire.Request {
		from.Send([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Line), []byte(`,"error":{"code":-32601,"message":"Method not found"}}`))
	}
}

func (f *flushes) ServerEnded(child.Origin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left++
}

func (f *flushes) lines() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.passed)
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
	return slog.New(slog.NewTextHandler(testutil.Printed(b), &slog.HandlerOptions{
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
