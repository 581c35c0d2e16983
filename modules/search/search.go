package search

import (
	"sync"
)

// lookup is one search: what is common to its legs.
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

// lookup starts a search, with the lexical leg.
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

// release gives the buffers back. Nothing of the lookup is to be used afterwards.
func (l *lookup) release() { l.snapshot.shared.scorers.Put(l.scorer) }

// lexical returns the share that each tool has of the best score there could be.
func (l *lookup) lexical() []float64 {
	l.scorer.scores = zeroed(l.scorer.scores, l.sel.tools)
	values := l.scorer.scores
	for i, seg := range l.sel.segments {
		start := l.sel.starts[i]
		l.scorer.segment(seg, l.terms, values[start:start+len(seg.tools)])
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
		seg, doc := l.sel.at(c.place)
		parts := f.parts(c.place)
		out.Hits[i].Explanation = &Explanation{
			Legs:  parts,
			Terms: l.scorer.explain(seg, doc, l.terms, parts[LegLexical]),
		}
	}
	return out
}

// shared is what all snapshots of an index have in common.
type shared struct {
	tune    tuning
	scorers sync.Pool // of *scorer
}

// scorer returns a scorer with buffers of an earlier search, if there are any.
func (s *shared) scorer(snapshot *Snapshot) *scorer {
	sc, ok := s.scorers.Get().(*scorer)
	if !ok {
		sc = &scorer{}
	}
	sc.start(snapshot)
	return sc
}

// Leg is a way of finding tools.
type Leg string

// The legs.
const (
	LegLexical Leg = "lexical" // by the words of the tools
	LegDense   Leg = "dense"   // by vectors
	LegLearned Leg = "learned" // by what was called after such queries
)

// What the legs count, among those that take part. A leg's values are divided by
// the largest first, but for what was learned: little that is known counts little.
const (
	lexicalWeight = .6
	denseWeight   = .4
	learnedWeight = 1.8
)

// legValues are what a leg gives to the tools of a selection, by their places.
type legValues struct {
	leg    Leg
	weight float64
	scale  float64 // what a value is divided by
	most   float64 // the largest value
	values []float64
}

func newLeg(leg Leg, weight float64, values []float64) legValues {
	l := legValues{leg: leg, weight: weight, values: values}
	for _, v := range values {
		l.most = max(l.most, v)
	}
	l.scale = max(l.most, 1e-12)
	return l
}

// fusion adds legs up. The order is that of the weighted sum of the legs' scaled
// values. That is made a score of 0 to 1 by what the legs' best values are worth,
// so that 1 is a tool that has all of the query, and not merely the best there is.
type fusion struct {
	legs   []legValues
	factor float64
}

func newFusion(legs []legValues) fusion {
	weights, worth, most, learned := 0., 0., 0., 0.
	for _, l := range legs {
		if l.leg == LegLearned {
			learned = l.most
		} else {
			weights += l.weight
			worth += l.weight * l.most
		}
		most += l.weight * l.most / l.scale
	}
	if most == 0 {
		return fusion{legs: legs}
	}
	return fusion{legs: legs, factor: max(worth/weights, learned) / most}
}

func (f fusion) score(place int) float64 {
	sum := 0.
	for i := range f.legs {
		sum += f.legs[i].weight * f.legs[i].values[place] / f.legs[i].scale
	}
	return min(sum*f.factor, 1)
}

// parts returns what each leg gives to the score.
func (f fusion) parts(place int) map[Leg]float64 {
	parts := map[Leg]float64{}
	for _, l := range f.legs {
		parts[l.leg] = l.weight * l.values[place] / l.scale * f.factor
	}
	return parts
}

// results returns the best tools of a selection.
func (f fusion) results(sel *selection, q Query) (Results, []candidate) {
	r := ranking{sel: sel, limit: q.limit(), keep: q.Keep}
	for place := range sel.tools {
		if score := f.score(place); score > 0 {
			r.add(candidate{place, score})
		}
	}
	out := Results{ServersSearched: len(sel.segments), ToolsSearched: sel.tools, Hits: make([]Hit, len(r.best))}
	for i, c := range r.best {
		out.Hits[i] = newHit(sel.toolAt(c.place), c.score)
	}
	for _, l := range f.legs {
		out.Legs = append(out.Legs, l.leg)
	}
	return out, r.best
}
