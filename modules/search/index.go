package search

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Index finds tools by their words. The tools of each server form a segment, which is
// replaced when they change; searches read an immutable [Snapshot].
type Index struct {
	log    *slog.Logger
	shared *shared

	mu      sync.Mutex // serializes writers
	warned  map[string]bool
	current atomic.Pointer[Snapshot]
}

// NewIndex returns an empty index.
func NewIndex(log *slog.Logger) *Index { return newIndex(log, defaultTuning()) }

func newIndex(log *slog.Logger, tune tuning) *Index {
	x := &Index{log: log, shared: &shared{tune: tune}, warned: map[string]bool{}}
	x.current.Store(&Snapshot{shared: x.shared, dict: newDictionary()})
	return x
}

// Snapshot returns the current state of the index.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Replace sets the tools of a server; each tool's Server must name it. It indexes the first
// [MaxTools] and logs a warning if there are more. Calls for the same server must not be
// concurrent.
func (x *Index) Replace(server string, tools []Tool) {
	if len(tools) > MaxTools {
		x.warn(server, len(tools))
		tools = tools[:MaxTools]
	}
	d := newDraft(server, tools)
	x.mu.Lock()
	defer x.mu.Unlock()
	old := x.current.Load()
	x.current.Store(old.withSegment(server, d.build(old.dict)))
}

// Remove removes the tools of a server.
func (x *Index) Remove(server string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.warned, server)
	x.current.Store(x.current.Load().withSegment(server, nil))
}

func (x *Index) warn(server string, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.warned[server] {
		x.warned[server] = true
		x.log.Warn("server has too many tools: indexing only the first",
			slog.String("server", server), slog.Int("tools", n), slog.Int("indexed", MaxTools))
	}
}

// Snapshot is the state of an index at one time.
type Snapshot struct {
	shared   *shared
	dict     *dictionary
	segments []*segment // sorted by server
	tools    int
	docs     []uint32          // number of tools with a term, by termID
	totals   [allFields]uint64 // number of terms in each field, over all tools
	live     int               // number of terms that some tool has
}

// Len returns the number of tools.
func (s *Snapshot) Len() int { return s.tools }

// withSegment returns a snapshot in which the segment of a server is replaced, or removed
// if seg is nil.
func (s *Snapshot) withSegment(server string, seg *segment) *Snapshot {
	next := *s
	next.segments = slices.Clone(s.segments)
	terms, _ := s.dict.all()
	next.docs = make([]uint32, len(terms))
	copy(next.docs, s.docs)
	i, found := slices.BinarySearchFunc(next.segments, server, func(s *segment, server string) int {
		return strings.Compare(s.server, server)
	})
	if found {
		next.countSegment(next.segments[i], false)
		next.segments = slices.Delete(next.segments, i, i+1)
	}
	if seg != nil {
		next.countSegment(seg, true)
		next.segments = slices.Insert(next.segments, i, seg)
	}
	if n := len(next.docs); n > minTerms && next.live < n/2 {
		next.renumber()
	}
	return &next
}

// minTerms is the number of terms up to which a dictionary keeps unused ones.
const minTerms = 4096

// countSegment adds or subtracts the statistics of a segment.
func (s *Snapshot) countSegment(seg *segment, add bool) {
	for i, id := range seg.terms {
		before := s.docs[id]
		if add {
			s.docs[id] += uint32(seg.docs[i])
		} else {
			s.docs[id] -= uint32(seg.docs[i])
		}
		switch {
		case before == 0 && s.docs[id] > 0:
			s.live++
		case before > 0 && s.docs[id] == 0:
			s.live--
		}
	}
	for f, n := range seg.totals {
		if add {
			s.totals[f] += n
		} else {
			s.totals[f] -= n
		}
	}
	if add {
		s.tools += len(seg.tools)
	} else {
		s.tools -= len(seg.tools)
	}
}

// renumber starts a new dictionary without the terms that no tool uses.
func (s *Snapshot) renumber() {
	dict, numbers := newDictionary(), make([]termID, len(s.docs))
	docs := make([]uint32, 0, s.live)
	terms, _ := s.dict.all()
	for id, n := range s.docs {
		if n > 0 {
			numbers[id] = dict.add(terms[id])
			docs = append(docs, n)
		}
	}
	for i, seg := range s.segments {
		s.segments[i] = seg.renumber(numbers)
	}
	s.dict, s.docs = dict, docs
}
