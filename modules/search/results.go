package search

import (
	"cmp"
	"slices"
	"strings"
)

// Results holds the best tools for a query, best first. Tools with equal scores are sorted
// by name.
type Results struct {
	Hits            []Hit
	ServersSearched int
	ToolsSearched   int
	Legs            []Leg // that contributed
}

// Hit is a tool that matches a query.
type Hit struct {
	Name, OriginalName, Title     string
	Server, ServerID, ServerTitle string
	Definition                    []byte // as in [Tool]
	Hash                          string
	Score                         float64      // 0 to 1
	Explanation                   *Explanation // if Query.Explain is set
}

func newHit(t *Tool, score float64) Hit {
	return Hit{
		Name: t.Name, OriginalName: t.OriginalName, Title: t.Title,
		Server: t.Server, ServerID: t.ServerID, ServerTitle: t.ServerTitle,
		Definition: t.Definition, Hash: t.Hash, Score: score,
	}
}

// selection is the set of tools that a query covers, numbered from 0.
type selection struct {
	segments []*segment // sorted by server
	starts   []int      // index of each segment's first tool
	tools    int
}

// selection returns the tools of the servers with the given names or ids, or of all servers
// if none are given.
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

// indexOf returns the index of a tool in the selection.
func (sel *selection) indexOf(server, own string) (int, bool) {
	i, ok := slices.BinarySearchFunc(sel.segments, server, func(s *segment, server string) int {
		return strings.Compare(s.server, server)
	})
	if !ok {
		return 0, false
	}
	doc, ok := sel.segments[i].tool(own)
	return sel.starts[i] + doc, ok
}

// at returns the segment that holds the tool with the given index, and the tool's position
// in it.
func (sel *selection) at(index int) (*segment, int) {
	i, ok := slices.BinarySearch(sel.starts, index)
	if !ok {
		return sel.segments[i-1], index - sel.starts[i-1]
	}
	for len(sel.segments[i].tools) == 0 { // skip empty segments, which share their start with the next
		i++
	}
	return sel.segments[i], 0
}

func (sel *selection) toolAt(index int) *Tool {
	seg, doc := sel.at(index)
	return &seg.tools[doc]
}

// candidate is a tool with its score.
type candidate struct {
	index int
	score float64
}

// ranking keeps the best candidates, best first.
type ranking struct {
	sel   *selection
	limit int
	keep  func(name string) bool // nil means all
	best  []candidate
}

// compare orders candidates by descending score, then by name.
func (r *ranking) compare(a, b candidate) int {
	switch {
	case a.score > b.score:
		return -1
	case a.score < b.score:
		return 1
	default:
		return strings.Compare(r.sel.toolAt(a.index).Name, r.sel.toolAt(b.index).Name)
	}
}

func (r *ranking) add(c candidate) {
	full := len(r.best) == r.limit
	if full && r.compare(c, r.best[len(r.best)-1]) >= 0 {
		return
	}
	if r.keep != nil && !r.keep(r.sel.toolAt(c.index).Name) {
		return
	}
	if full {
		r.best = r.best[:len(r.best)-1]
	}
	i, _ := slices.BinarySearchFunc(r.best, c, r.compare)
	r.best = slices.Insert(r.best, i, c)
}

// Explanation breaks down a score.
type Explanation struct {
	Legs  map[Leg]float64 // contribution of each leg; they add up to the score
	Terms []TermHit       // breakdown of the lexical leg's contribution
}

// TermHit is a match of a query word in a tool.
type TermHit struct {
	Word   string // of the query
	Term   string // of the tool
	Match  Match
	Score  float64 // its share of the lexical leg's contribution
	Fields []FieldHit
}

// FieldHit is the contribution of a field to the score of a term.
type FieldHit struct {
	Field string
	Score float64
}

// explain returns the query words that a tool contains, and the share of each in score, the
// lexical leg's contribution.
func (sc *scorer) explain(seg *segment, doc int, terms []queryTerm, score float64) []TermHit {
	var hits []TermHit
	all, _ := sc.snapshot.dict.all()
	sum := 0.
	for i := range terms {
		var best TermHit
		for j := range terms[i].members {
			m := &terms[i].members[j]
			if hit := sc.explainMember(seg, doc, m); hit.Score > best.Score {
				best = hit
				best.Word, best.Term, best.Match = terms[i].word, all[m.id].word, m.match
			}
		}
		if best.Score > 0 {
			hits = append(hits, best)
			sum += best.Score
		}
	}
	for i := range hits {
		hits[i].scale(score / sum)
	}
	return hits
}

func (h *TermHit) scale(factor float64) {
	h.Score *= factor
	for i := range h.Fields {
		h.Fields[i].Score *= factor
	}
}

func (sc *scorer) explainMember(seg *segment, doc int, m *member) TermHit {
	var weights [allFields]float64
	sum := 0.
	for _, p := range seg.find(m.id) {
		if int(p.doc) == doc || p.doc == allDocs {
			w := sc.weigh(seg, p)
			weights[p.field] = w
			sum += w
		}
	}
	if sum == 0 {
		return TermHit{}
	}
	hit := TermHit{Score: m.score(sum)}
	for f, w := range weights {
		if w > 0 {
			hit.Fields = append(hit.Fields, FieldHit{fieldWeights[f].name, hit.Score * w / sum})
		}
	}
	slices.SortStableFunc(hit.Fields, func(a, b FieldHit) int { return cmp.Compare(b.Score, a.Score) })
	return hit
}
