package testutil

import (
	"bytes"
	"sync"
)

// Buffer is a bytes.Buffer that several goroutines may use, as for a logger. Its zero
// value is empty and ready.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns what was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Shorten returns a text of at most some 2,000 bytes for the message of a failed test:
// the beginning and the end of a longer one.
func Shorten(text string) string {
	const half = 1000
	if len(text) <= 2*half {
		return text
	}
	return text[:half] + " ... " + text[len(text)-half:]
}
