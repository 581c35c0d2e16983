package search

import (
	"cmp"
	"slices"
	"time"
)

// prune drops the lightest of some votes, until so many of them are kept.
func (l *Learning) prune(now time.Time, keep int, among func(voteKey) bool) {
	type weighed struct {
		key    voteKey
		weight float64
	}
	var all []weighed
	for stem, tools := range l.words {
		for tool, votes := range tools {
			for _, v := range votes {
				if k := (voteKey{stem, tool, v.voter}); among(k) {
					all = append(all, weighed{k, l.aged(v, now)})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b weighed) int { return cmp.Compare(a.weight, b.weight) })
	for i, w := range all {
		if w.weight >= forgotten && len(all)-i <= keep {
			break
		}
		l.drop(w.key)
	}
}

// drop forgets a vote, which the store is told as a weight of 0.
func (l *Learning) drop(k voteKey) {
	tools := l.words[k.stem]
	votes := slices.DeleteFunc(tools[k.tool], func(v vote) bool { return v.voter == k.voter })
	if tools[k.tool] = votes; len(votes) == 0 {
		delete(tools, k.tool)
	}
	if len(tools) == 0 {
		delete(l.words, k.stem)
	}
	l.votes--
	if l.byVoter[k.voter]--; l.byVoter[k.voter] == 0 {
		delete(l.byVoter, k.voter)
	}
	l.changed[k] = struct{}{}
}
