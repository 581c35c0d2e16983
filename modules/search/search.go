package search

import (
	"sync"
)

// lookup is the state of one search, shared by its legs.
type lookup struct {
	snapshot *Snapshot
	query    Query
	sel      *selection
	stems    []string
	terms    []queryTerm
	best     float64
	scorer   *scorer
	legs     []legValues
}

// Search returns the best tools by their words alone.
func (s *Snapshot) Search(q Query) (Results, error) {
	l, err := s.lookup(q)
	if err != nil {
		return Results{}, err
	}
	defer l.release()
	return l.results(), nil
}

// lookup starts a search with the lexical leg.
func (s *Snapshot) lookup(q Query) (*lookup, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	l := &lookup{snapshot: s, query: q, sel: s.selection(q.Servers)}
	l.stems, l.terms, l.best = s.parse(q.Text)
	l.scorer = s.shared.scorer(s)
	l.legs = append(l.legs, newLeg(LegLexical, lexicalWeight, l.lexical()))
	return l, nil
}

// release returns the buffers to the pool. The lookup must not be used afterwards.
func (l *lookup) release() { l.snapshot.shared.scorers.Put(l.scorer) }

// lexical returns each tool's score as a share of the best possible one.
func (l *lookup) lexical() []float64 {
	l.scorer.scores = zeroed(l.scorer.scores, l.sel.tools)
	values := l.scorer.scores
	for i, seg := range l.sel.segments {
		start := l.sel.starts[i]
		l.scorer.scoreSegment(seg, l.terms, values[start:start+len(seg.tools)])
	}
	for i, v := range values {
		if v > 0 {
			values[i] = v / l.best
		}
	}
	return values
}

func (l *lookup) results() Results {
	f := newFusion(l.legs)
	out, best := f.results(l.sel, l.query)
	if !l.query.Explain {
		return out
	}
	for i, c := range best {
		seg, doc := l.sel.at(c.index)
		parts := f.parts(c.index)
		out.Hits[i].Explanation = &Explanation{
			Legs:  parts,
			Terms: l.scorer.explain(seg, doc, l.terms, parts[LegLexical]),
		}
	}
	return out
}

// shared holds what all snapshots of an index have in common.
type shared struct {
	tune    tuning
	scorers sync.Pool // of *scorer
}

// scorer returns a scorer, reusing the buffers of an earlier search.
func (s *shared) scorer(snapshot *Snapshot) *scorer {
	sc, ok := s.scorers.Get().(*scorer)
	if !ok {
		sc = &scorer{}
	}
	sc.reset(snapshot)
	return sc
}

// Leg is a method of finding tools.
type Leg string

// Values of Leg.
const (
	LegLexical Leg = "lexical" // by the words of the tools
	LegDense   Leg = "dense"   // by vectors
	LegLearned Leg = "learned" // by the tools called after similar queries
)

// Weights of the legs. The values of each leg are first divided by the largest, except
// those of the learned leg, so that few votes count little.
const (
	lexicalWeight = .6
	denseWeight   = .4
	learnedWeight = 1.8
)

// legValues are the values that a leg assigns to the tools of a selection, by index.
type legValues struct {
	leg     Leg
	weight  float64
	scale   float64 // divisor of the values
	largest float64 // largest of values
	values  []float64
}

func newLeg(leg Leg, weight float64, values []float64) legValues {
	l := legValues{leg: leg, weight: weight, values: values}
	for _, v := range values {
		l.largest = max(l.largest, v)
	}
	l.scale = max(l.largest, 1e-12)
	return l
}

// fusion combines legs. Tools are ordered by the weighted sum of the scaled values, which a
// common factor turns into scores from 0 to 1: a score of 1 means a tool that matches the
// whole query, not merely the best tool found.
type fusion struct {
	legs   []legValues
	factor float64
}

func newFusion(legs []legValues) fusion {
	weights, worth, most, learned := 0., 0., 0., 0.
	for _, l := range legs {
		if l.leg == LegLearned {
			learned = l.largest
		} else {
			weights += l.weight
			worth += l.weight * l.largest
		}
		most += l.weight * l.largest / l.scale
	}
	if most == 0 {
		return fusion{legs: legs}
	}
	return fusion{legs: legs, factor: max(worth/weights, learned) / most}
}

func (f fusion) score(index int) float64 {
	sum := 0.
	for i := range f.legs {
		sum += f.legs[i].weight * f.legs[i].values[index] / f.legs[i].scale
	}
	return min(sum*f.factor, 1)
}

// parts returns the contribution of each leg to the score.
func (f fusion) parts(index int) map[Leg]float64 {
	parts := map[Leg]float64{}
	for _, l := range f.legs {
		parts[l.leg] = l.weight * l.values[index] / l.scale * f.factor
	}
	return parts
}

// results returns the best tools of a selection.
func (f fusion) results(sel *selection, q Query) (Results, []candidate) {
	r := ranking{sel: sel, limit: q.limit(), keep: q.Keep}
	for index := range sel.tools {
		if score := f.score(index); score > 0 {
			r.add(candidate{index, score})
		}
	}
	out := Results{ServersSearched: len(sel.segments), ToolsSearched: sel.tools, Hits: make([]Hit, len(r.best))}
	for i, c := range r.best {
		out.Hits[i] = newHit(sel.toolAt(c.index), c.score)
	}
	for _, l := range f.legs {
		out.Legs = append(out.Legs, l.leg)
	}
	return out, r.best
}
