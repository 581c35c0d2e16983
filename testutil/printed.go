package testutil

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// Canary is a part of every secret in the tests. What the program prints for
// people is searched for it (Printed, Record), and Main fails when it was seen.
const Canary = "hunter2"

// Printed returns w, with all that is written to it searched for the canary.
func Printed(w io.Writer) io.Writer { return &searchWriter{w: w, matches: &printed} }

// Record searches a text that the program has printed.
func Record(text string) { (&searchWriter{w: io.Discard, matches: &printed}).search([]byte(text)) }

// printed is what all tests of this process have seen.
var printed matches

const (
	maxMatches   = 10
	matchContext = 200 // bytes that are shown before and after a canary
)

// matches are the texts around the canaries that were seen.
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

// report says where canaries were seen; nothing if none was.
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

// searchWriter is a writer that looks for the canary, wherever writes cut it.
type searchWriter struct {
	w       io.Writer
	matches *matches

	mu   sync.Mutex
	last string // end of what was written
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
