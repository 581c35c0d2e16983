package search

import "time"

// priorVotes dampens words with few votes: a word with this many counts half.
const priorVotes = 10

// addLearned adds the learned leg, if it concerns any tool that is searched.
func (l *lookup) addLearned(learning *Learning) {
	parts := learning.shares(l.snapshot, l.stems)
	if len(parts) == 0 {
		return
	}
	values, found := make([]float64, l.sel.tools), false
	for tool, part := range parts {
		if index, ok := l.sel.indexOf(tool.server, tool.own); ok {
			values[index], found = part, true
		}
	}
	if found {
		leg := newLeg(LegLearned, learnedWeight, values)
		leg.scale = 1
		l.legs = append(l.legs, leg)
	}
}

// shares returns each tool's share of the calls that followed searches with these words.
// Words that few tools contain weigh more.
func (l *Learning) shares(s *Snapshot, stems []string) map[toolKey]float64 {
	if l.options.Off {
		return nil
	}
	now, weights := time.Now(), 0.
	parts := map[toolKey]float64{}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for _, stem := range stems {
		_, n := s.find(stem)
		idf := s.idf(n)
		weights += idf
		l.addShares(parts, l.words[stem], idf, now)
	}
	for tool := range parts {
		parts[tool] /= weights
	}
	return parts
}

func (l *Learning) addShares(parts map[toolKey]float64, tools map[toolKey][]vote, idf float64, now time.Time) {
	counts, all := make(map[toolKey]float64, len(tools)), float64(priorVotes)
	for tool, votes := range tools {
		if len(votes) < l.options.Quorum {
			continue
		}
		for _, v := range votes {
			counts[tool] += l.agedWeight(v, now)
		}
		all += counts[tool]
	}
	for tool, count := range counts {
		parts[tool] += idf * count / all
	}
}
