package search

import (
	"cmp"
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
	keep  func(name string) bool // nil keeps all
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
	full := len(r.best) == r.limit
	if full && r.compare(c, r.best[len(r.best)-1]) >= 0 {
		return
	}
	if r.keep != nil && !r.keep(r.sel.toolAt(c.place).Name) {
		return
	}
	if full {
		r.best = r.best[:len(r.best)-1]
	}
	i, _ := slices.BinarySearchFunc(r.best, c, r.compare)
	r.best = slices.Insert(r.best, i, c)
}

// Explanation says where a score comes from.
type Explanation struct {
	Legs  map[Leg]float64 // what each gave; they add up to the score
	Terms []TermHit       // what the lexical leg's part consists of
}

// TermHit says what a word of the query found in a tool.
type TermHit struct {
	Word   string // of the query
	Term   string // of the tool
	Match  Match
	Score  float64 // its part of what the lexical leg gave
	Fields []FieldHit
}

// FieldHit says how much of a term's score is due to a field.
type FieldHit struct {
	Field string
	Score float64
}

// explain returns the words that a tool has of a query, and what each gives of
// the tool's score, all of which is the lexical leg's part of it.
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
