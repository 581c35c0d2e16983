package search

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Index finds tools by their words. Each server's tools are a segment, which a
// change of the server replaces; searches read an immutable [Snapshot].
type Index struct {
	log    *slog.Logger
	shared *shared

	mu      sync.Mutex // serialises writers
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

// Snapshot returns the index as it is now.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Replace makes tools those of a server, all of which name it. Of more than
// [MaxTools] the first are indexed, with a warning. Changes of one server are to
// be made one after the other.
func (x *Index) Replace(server string, tools []Tool) {
	if len(tools) > MaxTools {
		x.warn(server, len(tools))
		tools = tools[:MaxTools]
	}
	d := newDraft(server, tools)
	x.mu.Lock()
	defer x.mu.Unlock()
	old := x.current.Load()
	x.current.Store(old.with(server, d.seal(old.dict)))
}

// Remove takes the tools of a server out.
func (x *Index) Remove(server string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.warned, server)
	x.current.Store(x.current.Load().with(server, nil))
}

func (x *Index) warn(server string, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.warned[server] {
		x.warned[server] = true
		x.log.Warn("too many tools to search: the first are indexed",
			slog.String("server", server), slog.Int("tools", n), slog.Int("indexed", MaxTools))
	}
}

// Snapshot is the index at one time.
type Snapshot struct {
	shared   *shared
	dict     *dictionary
	segments []*segment // sorted by server
	tools    int
	docs     []uint32          // how many tools have a term, by its number
	totals   [allFields]uint64 // terms in a field of all tools
	live     int               // terms that some tool has
}

// Len returns how many tools there are.
func (s *Snapshot) Len() int { return s.tools }

// with returns a snapshot in which a server has another segment, or none.
func (s *Snapshot) with(server string, seg *segment) *Snapshot {
	next := *s
	next.segments = slices.Clone(s.segments)
	terms, _ := s.dict.all()
	next.docs = make([]uint32, len(terms))
	copy(next.docs, s.docs)
	i, found := slices.BinarySearchFunc(next.segments, server, func(s *segment, server string) int {
		return strings.Compare(s.server, server)
	})
	if found {
		next.count(next.segments[i], false)
		next.segments = slices.Delete(next.segments, i, i+1)
	}
	if seg != nil {
		next.count(seg, true)
		next.segments = slices.Insert(next.segments, i, seg)
	}
	if n := len(next.docs); n > minTerms && next.live < n/2 {
		next.renumber()
	}
	return &next
}

// minTerms is how many terms a dictionary may have, used or not.
const minTerms = 4096

// count adds the statistics of a segment, or takes them away.
func (s *Snapshot) count(seg *segment, add bool) {
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

// renumber starts a dictionary without the terms that no tool has any more.
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
