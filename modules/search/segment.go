package search

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// segment is the immutable index of one server's tools.
type segment struct {
	server, serverID string
	tools            []Tool // sorted by OriginalName, without the texts that hits do not need
	// Terms are sorted by id; terms[i] has postings[starts[i]:starts[i+1]].
	terms    []termID
	starts   []uint32
	postings []posting
	filter   filter
	docs     []uint16 // number of tools with the term, parallel to terms
	lengths  [][toolFields]uint16
	common   [allFields]uint16 // lengths of the server's fields, which all tools share
	totals   [allFields]uint64 // lengths over all tools
}

// posting says how often a term occurs in a field of a tool.
type posting struct {
	doc   uint16 // index into segment.tools, or allDocs
	field field
	count uint8
}

// allDocs stands for every tool of the segment, for terms that describe the server.
const allDocs = math.MaxUint16

// find returns the postings of a term.
func (s *segment) find(id termID) []posting {
	if !s.filter.has(id) {
		return nil
	}
	i, ok := slices.BinarySearch(s.terms, id)
	if !ok {
		return nil
	}
	return s.postings[s.starts[i]:s.starts[i+1]]
}

// tool returns the index of the tool that its server calls own.
func (s *segment) tool(own string) (int, bool) {
	return slices.BinarySearchFunc(s.tools, own, func(t Tool, own string) int { return strings.Compare(t.OriginalName, own) })
}

// renumber returns the segment with new ids for its terms, in the same order.
func (s *segment) renumber(numbers []termID) *segment {
	other := *s
	other.terms = make([]termID, len(s.terms))
	for i, id := range s.terms {
		other.terms[i] = numbers[id]
	}
	other.filter = newFilter(other.terms)
	return &other
}

// draft is a segment under construction. It numbers terms on its own, so that the expensive
// part needs no lock.
type draft struct {
	segment
	vocabulary  []term
	numbers     map[string]termID // by stem
	words       map[string]termID // by word, to stem each only once
	occurrences []uint64          // term, tool and field of each occurrence
}

const noTerm = termID(math.MaxUint32)

// newDraft reads the tools of a server, whose Server fields must all name it.
func newDraft(server string, tools []Tool) *draft {
	d := &draft{numbers: map[string]termID{}, words: map[string]termID{}}
	d.server = server
	d.lengths = make([][toolFields]uint16, len(tools))
	d.tools = slices.Clone(tools)
	slices.SortStableFunc(d.tools, func(a, b Tool) int { return strings.Compare(a.OriginalName, b.OriginalName) })
	for i := range d.tools {
		d.addTool(i)
	}
	if len(tools) > 0 {
		d.addServer(tools[0])
	}
	slices.Sort(d.occurrences)
	d.compact()
	return d
}

func (d *draft) addTool(i int) {
	t := &d.tools[i]
	names, texts := readSchema(t.InputSchema)
	for f, text := range [toolFields]string{t.OriginalName, t.Title, t.Description, names, texts} {
		n := d.addText(uint16(i), field(f), text)
		d.lengths[i][f] = n
		d.totals[f] += uint64(n)
	}
	t.Description, t.ServerDescription, t.InputSchema = "", "", nil
}

func (d *draft) addServer(t Tool) {
	d.serverID = t.ServerID
	for f, text := range map[field]string{
		fieldServer: d.server, fieldServerTitle: t.ServerTitle, fieldServerDescription: t.ServerDescription,
	} {
		n := d.addText(allDocs, f, text)
		d.common[f] = n
		d.totals[f] = uint64(n) * uint64(len(d.tools))
	}
}

// addText records the terms of a text and returns their number.
func (d *draft) addText(doc uint16, f field, text string) uint16 {
	n := 0
	// Prose has names like GitHub, but camelCase identifiers consist of ordinary words.
	join := f != fieldName && f != fieldParameter && f != fieldParameters
	eachWord(clip(text, MaxText), join, func(word string) {
		id, ok := d.words[word]
		if !ok && len(d.words) < maxServerWords {
			id = d.number(word)
			d.words[word] = id
			ok = true
		}
		if ok && id != noTerm && len(d.occurrences) < maxServerText {
			n++
			d.occurrences = append(d.occurrences, uint64(id)<<32|uint64(doc)<<16|uint64(f))
		}
	})
	return uint16(min(n, math.MaxUint16))
}

func (d *draft) number(word string) termID {
	s := stem(word)
	if s == "" {
		return noTerm
	}
	id, ok := d.numbers[s]
	if !ok {
		id = termID(len(d.vocabulary))
		t := newTerm(s, word)
		d.vocabulary = append(d.vocabulary, t)
		d.numbers[t.stem] = id
	}
	return id
}

// newTerm copies its strings, so that it does not keep the whole text in memory.
func newTerm(stem, word string) term {
	t := term{stem: strings.Clone(stem)}
	if t.word = t.stem; word != stem {
		t.word = strings.Clone(word)
	}
	return t
}

// compact turns the sorted occurrences into postings with counts.
func (d *draft) compact() {
	d.starts = append(d.starts, 0)
	var last uint64
	for i, entry := range d.occurrences {
		id := termID(entry >> 32)
		if i > 0 && entry == last {
			if p := &d.postings[len(d.postings)-1]; p.count < math.MaxUint8 {
				p.count++
			}
			continue
		}
		last = entry
		if int(id) >= len(d.starts) { // ids are dense and in order
			d.starts = append(d.starts, uint32(len(d.postings)))
		}
		d.postings = append(d.postings, posting{doc: uint16(entry >> 16), field: field(entry & 0xff), count: 1})
	}
	d.starts = append(d.starts, uint32(len(d.postings)))
	if len(d.vocabulary) == 0 {
		d.starts = d.starts[:1]
	}
}

// build returns the segment with the term ids of dict.
func (d *draft) build(dict *dictionary) *segment {
	s := d.segment
	own := make([]termID, len(d.vocabulary)) // sorted by the ids in dict
	given := make([]termID, len(d.vocabulary))
	for i, t := range d.vocabulary {
		own[i], given[i] = termID(i), dict.add(t)
	}
	slices.SortFunc(own, func(a, b termID) int { return int(int64(given[a]) - int64(given[b])) })
	s.terms = make([]termID, len(own))
	s.docs = make([]uint16, len(own))
	s.starts = make([]uint32, 1, len(own)+1)
	s.postings = make([]posting, 0, len(d.postings))
	for i, id := range own {
		s.terms[i] = given[id]
		postings := d.postings[d.starts[id]:d.starts[id+1]]
		s.docs[i] = countDocs(postings, len(s.tools))
		s.postings = append(s.postings, postings...)
		s.starts = append(s.starts, uint32(len(s.postings)))
	}
	s.filter = newFilter(s.terms)
	return &s
}

// countDocs returns how many of the tools have postings.
func countDocs(postings []posting, all int) uint16 {
	n := 0
	for i, p := range postings {
		if p.doc == allDocs {
			return uint16(all)
		}
		if i == 0 || p.doc != postings[i-1].doc {
			n++
		}
	}
	return uint16(n)
}

// filter is a one-hash Bloom filter of the terms in a segment, with at least 16 bits per
// term. It avoids most binary searches, because a query looks up each of its terms in every
// segment and few segments have it.
type filter []uint64

func newFilter(terms []termID) filter {
	words := 1
	for words*4 < len(terms) {
		words *= 2
	}
	f := make(filter, words)
	for _, id := range terms {
		word, bit := f.at(id)
		f[word] |= bit
	}
	return f
}

func (f filter) has(id termID) bool {
	word, bit := f.at(id)
	return f[word]&bit != 0
}

// at returns the word and bit of a term.
func (f filter) at(id termID) (word int, bit uint64) {
	const spread = 2654435769 // the golden ratio of 32 bits
	hash := uint32(id) * spread
	position := hash >> (32 - 6 - bits.TrailingZeros(uint(len(f))))
	return int(position >> 6), 1 << (position & 63)
}
