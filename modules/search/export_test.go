package search

import (
	"log/slog"
	"strings"
)

// Tuning is what the measurements compare.
type Tuning = tuning

// DefaultTuning returns that of [NewIndex].
func DefaultTuning() Tuning { return defaultTuning() }

// NewTunedIndex returns an index with another tuning.
func NewTunedIndex(log *slog.Logger, t Tuning) *Index { return newIndex(log, t) }

// Words returns the words of a text, as in prose or as in a program.
func Words(text string, join bool) []string {
	var words []string
	eachWord(text, join, func(word string) { words = append(words, word) })
	return words
}

// Stem returns the stem of a word.
func Stem(word string) string { return stem(word) }

// ReadSchema returns the words of the names and of the texts of a schema.
func ReadSchema(schema []byte) (names, texts []string) {
	a, b := readSchema(schema)
	return strings.Fields(a), strings.Fields(b)
}

// EditDistance returns the distance of two words, or more than limit.
func EditDistance(a, b string, limit int) int { return editDistance(a, b, limit) }

// Thesaurus returns the synonyms of each stem.
func Thesaurus() map[string][]string { return readThesaurus(thesaurus) }

// Terms returns how many terms the dictionary of a snapshot has.
func (s *Snapshot) Terms() int {
	terms, _ := s.dict.all()
	return len(terms)
}

// Votes returns how many votes there are, and how many a principal has.
func (l *Learning) Votes(principal string) (all, own int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.votes, l.byVoter[voterOf(principal)]
}

// Sessions returns how many sessions are remembered.
func (l *Learning) Sessions() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.sessions)
}
