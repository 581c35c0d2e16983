package search

import (
	"slices"
	"strings"
)

// Results are the best tools for a query, best first; those of one score are
// sorted by name.
type Results struct {
	Hits            []Hit
	ServersSearched int
	ToolsSearched   int
	Legs            []Leg // that took part
}

// Hit is a tool that was found.
type Hit struct {
	Name, Own, Title              string
	Server, ServerID, ServerTitle string
	Definition                    []byte // as in [Tool]
	Hash                          string
	Score                         float64      // 0 to 1
	Explanation                   *Explanation // when asked for
}

func newHit(t *Tool, score float64) Hit {
	return Hit{
		Name: t.Name, Own: t.Own, Title: t.Title,
		Server: t.Server, ServerID: t.ServerID, ServerTitle: t.ServerTitle,
		Definition: t.Definition, Hash: t.Hash, Score: score,
	}
}

// selection is the tools that a query is about. They have places from 0 on.
type selection struct {
	segments []*segment // sorted by server
	starts   []int      // places of the segments' first tools
	tools    int
}

// selection returns the tools of the servers with those names or ids, of all
// servers if there are none.
func (s *Snapshot) selection(servers []string) *selection {
	sel := &selection{segments: s.segments}
	if len(servers) > 0 {
		sel.segments = nil
		for _, seg := range s.segments {
			if slices.ContainsFunc(servers, seg.isCalled) {
				sel.segments = append(sel.segments, seg)
			}
		}
	}
	sel.starts = make([]int, len(sel.segments))
	for i, seg := range sel.segments {
		sel.starts[i] = sel.tools
		sel.tools += len(seg.tools)
	}
	return sel
}

func (s *segment) isCalled(server string) bool {
	return server == s.server || server != "" && server == s.serverID
}

// place returns the place of a tool.
func (sel *selection) place(server, own string) (int, bool) {
	i, ok := slices.BinarySearchFunc(sel.segments, server, func(s *segment, server string) int {
		return strings.Compare(s.server, server)
	})
	if !ok {
		return 0, false
	}
	doc, ok := sel.segments[i].tool(own)
	return sel.starts[i] + doc, ok
}

// at returns the segment of the tool with that place, and the tool's number there.
func (sel *selection) at(place int) (*segment, int) {
	i, ok := slices.BinarySearch(sel.starts, place)
	if !ok {
		return sel.segments[i-1], place - sel.starts[i-1]
	}
	for len(sel.segments[i].tools) == 0 { // servers without tools start where the next one does
		i++
	}
	return sel.segments[i], 0
}

func (sel *selection) toolAt(place int) *Tool {
	seg, doc := sel.at(place)
	return &seg.tools[doc]
}

// candidate is a tool with its score.
type candidate struct {
	place int
	score float64
}

// ranking keeps the best candidates, best first.
type ranking struct {
	sel   *selection
	limit int
	best  []candidate
}

// compare orders the better one first, and equal ones by name.
func (r *ranking) compare(a, b candidate) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	default:
		return strings.Compare(r.sel.toolAt(a.place).Name, r.sel.toolAt(b.place).Name)
	}
}

func (r *ranking) add(c candidate) {
	if len(r.best) == r.limit {
		if r.compare(c, r.best[len(r.best)-1]) >= 0 {
			return
		}
		r.best = r.best[:len(r.best)-1]
	}
	i, _ := slices.BinarySearchFunc(r.best, c, r.compare)
	r.best = slices.Insert(r.best, i, c)
}
