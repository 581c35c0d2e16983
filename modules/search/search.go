package search

import "sync"

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
	out, best := f.results(l.sel, l.query.limit())
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
