package testutil

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// Canary is part of every secret in the tests. Printed and Record search the output of
// the program for it, and Main fails if it was found.
const Canary = "hunter2"

// Printed returns a writer to w that searches the output for the canary.
func Printed(w io.Writer) io.Writer { return &searchWriter{w: w, matches: &printed} }

// Record searches a text that the program has printed for the canary.
func Record(text string) { (&searchWriter{w: io.Discard, matches: &printed}).search([]byte(text)) }

// printed has the matches of all tests of this process.
var printed matches

const (
	maxMatches   = 10
	matchContext = 200 // bytes to show before and after a canary
)

// matches has the texts around the canaries that were found.
type matches struct {
	mu    sync.Mutex
	count int
	texts []string
}

func (s *matches) addMatch(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count++; s.count <= maxMatches {
		s.texts = append(s.texts, text)
	}
}

// report returns a report of the matches, "" if there are none.
func (s *matches) report() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "a secret was printed %d times; look for %q in\n", s.count, Canary)
	for _, text := range s.texts {
		fmt.Fprintf(&out, "  ... %q ...\n", text)
	}
	return out.String()
}

// searchWriter is a writer that searches for the canary, also across writes.
type searchWriter struct {
	w       io.Writer
	matches *matches

	mu   sync.Mutex
	last string // the end of the output so far
}

func (s *searchWriter) Write(p []byte) (int, error) {
	s.search(p)
	return s.w.Write(p)
}

func (s *searchWriter) search(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.last + string(p)
	for from := max(0, len(s.last)-len(Canary)+1); ; {
		i := strings.Index(text[from:], Canary)
		if i < 0 {
			break
		}
		begin, end := from+i, from+i+len(Canary)
		s.matches.addMatch(text[max(0, begin-matchContext):min(len(text), end+matchContext)])
		from = end
	}
	s.last = text[max(0, len(text)-matchContext):]
}
