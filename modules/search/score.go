package search

// k1 is BM25's term saturation: how soon further occurrences of a term stop to matter.
const k1 = 1.2

// nameBonus is the relative bonus of a tool whose name consists of words of the query. It
// shrinks with the square of the matching share, because a query for several things
// contains only parts of each tool's name.
const nameBonus = .1

// scorer computes the scores of tools.
type scorer struct {
	snapshot    *Snapshot
	norms       [allFields]lengthNorm
	group       []float64 // score of one query word for each tool of a segment
	member      []float64
	nameMatches []float64 // number of words in each tool's name that the query contains
	scores      []float64 // of all tools, by index
}

// lengthNorm holds the weight and length normalization of a field.
type lengthNorm struct{ weight, base, slope float64 }

// reset prepares the scorer for a snapshot.
func (sc *scorer) reset(s *Snapshot) {
	sc.snapshot = s
	for f, n := range s.totals {
		w, average := fieldWeights[f], max(float64(n)/max(float64(s.tools), 1), 1e-9)
		sc.norms[f] = lengthNorm{weight: w.weight, base: 1 - w.b, slope: w.b / average}
	}
}

// scoreSegment adds the scores of a segment's tools for terms to scores.
func (sc *scorer) scoreSegment(seg *segment, terms []queryTerm, scores []float64) {
	sc.nameMatches = zeroed(sc.nameMatches, len(scores))
	for i := range terms {
		t := &terms[i]
		if len(t.members) == 1 {
			m := &t.members[0]
			if postings := seg.find(m.id); len(postings) > 0 {
				sc.addPostings(seg, m, postings, scores)
			}
			continue
		}
		sc.addBestMember(seg, t, scores)
	}
	for doc, n := range sc.nameMatches {
		if n > 0 {
			part := min(n/float64(seg.lengths[doc][fieldName]), 1)
			scores[doc] *= 1 + nameBonus*part*part
		}
	}
}

// addBestMember adds, for each tool, the score of the query word's best-matching term.
func (sc *scorer) addBestMember(seg *segment, t *queryTerm, scores []float64) {
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
		sc.addPostings(seg, &t.members[i], postings, sc.member)
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

// addPostings adds the scores of a term with the given postings to scores.
func (sc *scorer) addPostings(seg *segment, m *member, postings []posting, scores []float64) {
	shared := 0. // contribution of the server's fields to each tool
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
			sc.noteNameMatch(m, postings[i])
		}
		scores[doc] += m.score(sum)
	}
}

// addShared adds to the score of every tool: tools without postings of their own get the
// shared part.
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
			sc.noteNameMatch(m, postings[i])
		}
		scores[doc] += m.score(sum)
	}
}

// score returns the BM25F score of a tool in which the member has the given weighted
// frequency.
func (m *member) score(sum float64) float64 {
	return m.weight * m.idf * sum * (k1 + 1) / (sum + k1)
}

// noteNameMatch records a term that occurs in a tool's name.
func (sc *scorer) noteNameMatch(m *member, p posting) {
	if p.field == fieldName {
		sc.nameMatches[p.doc] += m.weight
	}
}

// weigh returns the weight of a posting, which is lower in longer-than-average texts.
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
