package search

import "log/slog"

type Tuning = tuning

func DefaultTuning() Tuning                           { return defaultTuning() }
func NewTunedIndex(log *slog.Logger, t Tuning) *Index { return newIndex(log, t) }
func (t *Tuning) Set(synonym, correct float64)        { t.synonym, t.correct = synonym, correct }
func (t *Tuning) SetGroups(groups []string)           { t.thesaurus = readThesaurus(groups) }
func Thesaurus() []string                             { return thesaurus }

func Stop(w string, on bool) {
	if on {
		stopWords[w] = true
	} else {
		delete(stopWords, w)
	}
}
func FW(f int, w, b float64) { fieldWeights[f].weight = w; fieldWeights[f].b = b }

func (x *Index) Tune(t Tuning) { x.shared.tune = t }
