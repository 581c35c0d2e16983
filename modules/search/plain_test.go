package search_test

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// plainBM25 is the baseline of the README of testdata: BM25 over name and description,
// without stemming or stop words.
type plainBM25 struct {
	tools    []key
	lengths  []float64
	postings map[string]map[int]float64
	average  float64
}

func newPlainBM25(s *set) *plainBM25 {
	p := &plainBM25{postings: map[string]map[int]float64{}}
	for _, tools := range s.servers {
		for _, t := range tools {
			words := plainWords(t.OriginalName + " " + t.Description)
			for _, w := range words {
				if p.postings[w] == nil {
					p.postings[w] = map[int]float64{}
				}
				p.postings[w][len(p.tools)]++
			}
			p.tools = append(p.tools, key{t.Server, t.OriginalName})
			p.lengths = append(p.lengths, float64(len(words)))
			p.average += float64(len(words))
		}
	}
	p.average /= float64(len(p.tools))
	return p
}

func (p *plainBM25) rank(query string) []key {
	const k1, b = 1.2, .75
	scores := map[int]float64{}
	words := plainWords(query)
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		n := float64(len(p.postings[w]))
		idf := math.Log(1 + (float64(len(p.tools))-n+.5)/(n+.5))
		for doc, count := range p.postings[w] {
			scores[doc] += idf * count * (k1 + 1) / (count + k1*(1-b+b*p.lengths[doc]/p.average))
		}
	}
	docs := make([]int, 0, len(scores))
	for doc := range scores {
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]),
			cmp.Compare(p.tools[a].server, p.tools[b].server), cmp.Compare(p.tools[a].own, p.tools[b].own))
	})
	best := make([]key, 0, 10)
	for _, doc := range docs[:min(len(docs), 10)] {
		best = append(best, p.tools[doc])
	}
	return best
}

// plainWords splits a text for plain BM25.
func plainWords(text string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 1 && isHan(word[0]) {
			for i := range len(word) - 1 {
				words = append(words, string(word[i:i+2]))
			}
		} else if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	runes := []rune(text)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if len(word) > 0 {
			last := word[len(word)-1]
			nextLower := i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if isHan(r) != isHan(last) || unicode.IsLower(last) && unicode.IsUpper(r) ||
				unicode.IsUpper(last) && unicode.IsUpper(r) && nextLower || unicode.IsDigit(last) && unicode.IsLetter(r) {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return words
}

func isHan(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
