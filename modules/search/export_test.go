package search

import (
	"log/slog"
	"strings"
)

// Tuning holds the parameters that measurements vary.
type Tuning = tuning

// DefaultTuning returns the tuning of [NewIndex].
func DefaultTuning() Tuning { return defaultTuning() }

// NewTunedIndex returns an index with the given tuning.
func NewTunedIndex(log *slog.Logger, t Tuning) *Index { return newIndex(log, t) }

// Words returns the words of a text. With join it treats the text as prose, otherwise as
// code.
func Words(text string, join bool) []string {
	var words []string
	eachWord(text, join, func(word string) { words = append(words, word) })
	return words
}

// Stem returns the stem of a word.
func Stem(word string) string { return stem(word) }

// ReadSchema returns the words of a schema's names and of its texts.
func ReadSchema(schema []byte) (names, texts []string) {
	a, b := readSchema(schema)
	return strings.Fields(a), strings.Fields(b)
}

// EditDistance returns the distance between two words, or a value above limit.
func EditDistance(a, b string, limit int) int { return editDistance(a, b, limit) }

// Thesaurus returns the synonyms of each stem.
func Thesaurus() map[string][]string { return readThesaurus(thesaurus) }

// Terms returns the number of terms in the snapshot's dictionary.
func (s *Snapshot) Terms() int {
	terms, _ := s.dict.all()
	return len(terms)
}

// Votes returns the total number of votes and the number of a principal's votes.
func (l *Learning) Votes(principal string) (all, own int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.votes, l.byVoter[voterOf(principal)]
}

// Sessions returns the number of remembered sessions.
func (l *Learning) Sessions() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.sessions)
}
