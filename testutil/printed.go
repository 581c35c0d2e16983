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
func Printed(w io.Writer) io.Writer { return &searched{w: w, in: &printed} }

// Record searches a text that the program has printed.
func Record(text string) { (&searched{w: io.Discard, in: &printed}).see([]byte(text)) }

// printed is what all tests of this process have seen.
var printed sightings

const (
	maxSightings = 10
	around       = 200 // bytes that are shown before and after a canary
)

// sightings are the texts around the canaries that were seen.
type sightings struct {
	mu    sync.Mutex
	count int
	texts []string
}

func (s *sightings) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count++; s.count <= maxSightings {
		s.texts = append(s.texts, text)
	}
}

// report says where canaries were seen; nothing if none was.
func (s *sightings) report() string {
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

// searched is a writer that looks for the canary, wherever writes cut it.
type searched struct {
	w  io.Writer
	in *sightings

	mu   sync.Mutex
	last string // end of what was written
}

func (s *searched) Write(p []byte) (int, error) {
	s.see(p)
	return s.w.Write(p)
}

func (s *searched) see(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.last + string(p)
	for from := max(0, len(s.last)-len(Canary)+1); ; {
		i := strings.Index(text[from:], Canary)
		if i < 0 {
			break
		}
		begin, end := from+i, from+i+len(Canary)
		s.in.add(text[max(0, begin-around):min(len(text), end+around)])
		from = end
	}
	s.last = text[max(0, len(text)-around):]
}
