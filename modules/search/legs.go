package search

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
func (f fusion) results(sel *selection, limit int) (Results, []candidate) {
	r := ranking{sel: sel, limit: limit}
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
