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

// toolsRecorder is a child.Tools that records its calls.
type toolsRecorder struct {
	mu  sync.Mutex
	log []string
}

func (s *toolsRecorder) ReplaceTools(key string, definitions [][]byte) int {
	s.add("set " + key + " " + string(bytes.Join(definitions, []byte(" "))))
	return len(definitions)
}

func (s *toolsRecorder) RemoveTools(key string) { s.add("remove " + key) }

func (s *toolsRecorder) add(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, strings.TrimSpace(line))
}

func (s *toolsRecorder) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// clientRecorder is a child.Client that records messages, counts flushes, and answers
// every request with the same error.
type clientRecorder struct {
	mu     sync.Mutex
	count  int
	passed []string
	ended  int
}

func (f *clientRecorder) HandleServerMessage(m *wire.Message, from child.Origin) {
	f.mu.Lock()
	f.passed = append(f.passed, string(m.Line))
	f.mu.Unlock()
	if m.Kind == wire.Request {
		from.Send([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Line), []byte(`,"error":{"code":-32601,"message":"Method not found"}}`))
	}
}

func (f *clientRecorder) ServerEnded(child.Origin) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended++
}

func (f *clientRecorder) lines() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.passed)
}

func (f *clientRecorder) Flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
}

func (f *clientRecorder) flushCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// logBuffer holds the log, without the time.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *logBuffer) logger(level slog.Level) *slog.Logger {
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

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
