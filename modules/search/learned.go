package search

import "time"

// doubt is how many votes a word needs to count half of what many votes do.
const doubt = 3

// addLearned adds the leg of what was learned, if that is about a tool that is
// searched.
func (l *lookup) addLearned(learning *Learning) {
	parts := learning.parts(l.snapshot, l.stems)
	if len(parts) == 0 {
		return
	}
	values, found := make([]float64, l.sel.tools), false
	for tool, part := range parts {
		if place, ok := l.sel.place(tool.server, tool.own); ok {
			values[place], found = part, true
		}
	}
	if found {
		leg := newLeg(LegLearned, learnedWeight, values)
		leg.scale = 1
		l.legs = append(l.legs, leg)
	}
}

// parts returns the part that each tool has of what was called after the words,
// those counting most that few tools of the index have.
func (l *Learning) parts(s *Snapshot, stems []string) map[toolKey]float64 {
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
		l.addParts(parts, l.words[stem], idf, now)
	}
	for tool := range parts {
		parts[tool] /= weights
	}
	return parts
}

func (l *Learning) addParts(parts map[toolKey]float64, tools map[toolKey][]vote, idf float64, now time.Time) {
	counts, all := make(map[toolKey]float64, len(tools)), float64(doubt)
	for tool, votes := range tools {
		if len(votes) < l.options.Quorum {
			continue
		}
		for _, v := range votes {
			counts[tool] += l.aged(v, now)
		}
		all += counts[tool]
	}
	for tool, count := range counts {
		parts[tool] += idf * count / all
	}
}
