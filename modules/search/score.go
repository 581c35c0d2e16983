package search

// k1 is how soon it stops to matter how often a term occurs.
const k1 = 1.2

// nameBonus is what a tool's score grows by when the query has all words of its
// name, and by the square of the part that it has of them otherwise: of a query for
// several things each tool has only some words.
const nameBonus = .1

// scorer adds up the scores of tools.
type scorer struct {
	snapshot *Snapshot
	norms    [allFields]lengthNorm
	group    []float64 // what one word of the query gives to each tool of a segment
	member   []float64
	named    []float64 // how many words of each tool's name the query has
	scores   []float64 // of all tools
}

// lengthNorm is how an occurrence in a field is weighed by the length of the text.
type lengthNorm struct{ weight, base, slope float64 }

// start makes the scorer one for a snapshot.
func (sc *scorer) start(s *Snapshot) {
	sc.snapshot = s
	for f, n := range s.totals {
		w, average := fieldWeights[f], max(float64(n)/max(float64(s.tools), 1), 1e-9)
		sc.norms[f] = lengthNorm{weight: w.weight, base: 1 - w.b, slope: w.b / average}
	}
}

// segment adds the scores of a segment's tools for terms to scores.
func (sc *scorer) segment(seg *segment, terms []queryTerm, scores []float64) {
	sc.named = zeroed(sc.named, len(scores))
	for i := range terms {
		t := &terms[i]
		if len(t.members) == 1 {
			m := &t.members[0]
			if postings := seg.find(m.id); len(postings) > 0 {
				sc.add(seg, m, postings, scores)
			}
			continue
		}
		sc.best(seg, t, scores)
	}
	for doc, n := range sc.named {
		if n > 0 {
			part := min(n/float64(seg.lengths[doc][fieldName]), 1)
			scores[doc] *= 1 + nameBonus*part*part
		}
	}
}

// best adds what the best of a word's members gives.
func (sc *scorer) best(seg *segment, t *queryTerm, scores []float64) {
	hit := false
	for i := range t.members {
		postings := seg.find(t.members[i].id)
		if len(postings) == 0 {
			continue
		}
		if !hit {
			hit, sc.group = true, zeroed(sc.group, len(scores))
		}
		sc.member = zeroed(sc.member, len(scores))
		sc.add(seg, &t.members[i], postings, sc.member)
		for doc, v := range sc.member {
			sc.group[doc] = max(sc.group[doc], v)
		}
	}
	if hit {
		for doc, v := range sc.group {
			scores[doc] += v
		}
	}
}

func zeroed(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// add adds what a term with those postings gives to scores.
func (sc *scorer) add(seg *segment, m *member, postings []posting, scores []float64) {
	shared := 0. // what the fields of the server give to each tool
	for i := len(postings) - 1; i >= 0 && postings[i].doc == allDocs; i-- {
		shared += sc.weigh(seg, postings[i])
		postings = postings[:i]
	}
	if shared > 0 {
		sc.addShared(seg, m, postings, shared, scores)
		return
	}
	for i := 0; i < len(postings); {
		doc, sum := postings[i].doc, 0.
		for ; i < len(postings) && postings[i].doc == doc; i++ {
			sum += sc.weigh(seg, postings[i])
			sc.note(m, postings[i])
		}
		scores[doc] += m.score(sum)
	}
}

// addShared adds to every tool: those without postings have the shared part.
func (sc *scorer) addShared(seg *segment, m *member, postings []posting, shared float64, scores []float64) {
	alone := m.score(shared)
	i := 0
	for doc := range scores {
		if i == len(postings) || int(postings[i].doc) != doc {
			scores[doc] += alone
			continue
		}
		sum := shared
		for ; i < len(postings) && int(postings[i].doc) == doc; i++ {
			sum += sc.weigh(seg, postings[i])
			sc.note(m, postings[i])
		}
		scores[doc] += m.score(sum)
	}
}

// score returns what a tool gets in whose fields the member weighs sum.
func (m *member) score(sum float64) float64 {
	return m.weight * m.idf * sum * (k1 + 1) / (sum + k1)
}

// note notes a term in a tool's name.
func (sc *scorer) note(m *member, p posting) {
	if p.field == fieldName {
		sc.named[p.doc] += m.weight
	}
}

// weigh returns what an occurrence weighs: less in a text that is longer than
// others are.
func (sc *scorer) weigh(seg *segment, p posting) float64 {
	var length uint16
	if p.doc == allDocs {
		length = seg.common[p.field]
	} else {
		length = seg.lengths[p.doc][p.field]
	}
	n := &sc.norms[p.field]
	return n.weight * float64(p.count) / (n.base + n.slope*float64(length))
}
