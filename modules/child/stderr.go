package child

import (
	"bytes"
	"io"
	"strings"
	"sync"

	"mcp-aggregator/modules/redact"
)

const (
	ringSize     = 64 << 10 // bytes of standard error that are kept of a child, at least
	tailLines    = 10       // lines of it that a report shows
	tailLineSize = 300      // characters of a line that a report shows
)

// stderrRing keeps the end of what a child wrote on standard error.
type stderrRing struct {
	redactor *redact.Redactor

	mu      sync.Mutex
	data    []byte
	wrapped bool
}

// Write implements io.Writer and never blocks.
func (r *stderrRing) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data = append(r.data, p...)
	if len(r.data) > 2*ringSize { // rarely, so that small writes stay cheap
		r.data = append(r.data[:0], r.data[len(r.data)-ringSize:]...)
		r.wrapped = true
	}
	return len(p), nil
}

// tail returns the last lines, redacted, control characters quoted, joined by
// newlines.
func (r *stderrRing) tail() string {
	r.mu.Lock()
	data, wrapped := bytes.Clone(r.data), r.wrapped
	r.mu.Unlock()
	from := 0
	if wrapped { // omit what may be the rest of a secret whose beginning was overwritten
		from = min(len(data), r.redactor.Margin())
	}
	lines := strings.Split(strings.TrimSpace(r.redactor.Within(string(data), from, len(data))), "\n")
	lines = lines[max(0, len(lines)-tailLines):]
	for i, line := range lines {
		lines[i] = redact.Printable(line, tailLineSize)
	}
	return strings.Join(lines, "\n")
}

// copyStderr copies a child's standard error to its ring, and line by line to show
// unless that is nil, until it ends.
func copyStderr(src io.Reader, ring *stderrRing, show func(line string)) {
	buf := make([]byte, 16<<10)
	var line []byte
	for {
		n, err := src.Read(buf)
		_, _ = ring.Write(buf[:n]) // never fails
		if show != nil {
			line = showLines(line, buf[:n], ringSize+ring.redactor.Margin(), show)
		}
		if err != nil {
			if len(line) > 0 {
				show(string(line))
			}
			return
		}
	}
}

// showLines shows the lines that end in data and returns the one that has begun. Of a
// line it keeps no more than limit bytes.
func showLines(line, data []byte, limit int, show func(line string)) []byte {
	for {
		part, rest, ended := bytes.Cut(data, []byte("\n"))
		line = append(line, part[:min(len(part), limit-len(line))]...)
		if !ended {
			return line
		}
		show(string(line))
		line, data = line[:0], rest
	}
}
